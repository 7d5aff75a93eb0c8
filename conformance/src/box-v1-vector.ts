/**
 * A known answer of box-v1: who seals this text with this key and nonce gets this
 * ciphertext, the tag in front. Keys and nonce were chosen once and for all.
 */
export const boxV1Vector = {
  senderPrivateKey: 'AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=',
  senderPublicKey: 'B6N8vBQgk8i3VdwbEOhstCY3StFqqFPtC9/AsrhtHHw=',
  recipientPrivateKey: '//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA=',
  recipientPublicKey: 'Pry2khSTRNxU5YFgz5C+2e6h3RToHI6R3lV699ev2RU=',
  nonce: 'BxEbJS85Q01XYWt1f4mTnaexu8XP2ePt',
  text: 'Known answer: grüße, 🤖.',
  ciphertext: 'OqQosj20DDbGs9rllKRhdiUDtKirtbzP6Zyqkp5zhA+1/g+uf86Ma390O3Y=',
} as const;
