import { describe, expect, it } from 'vitest';
import {
  applyPostChange,
  findChangedMembers,
  findPostFault,
  getPostState,
  isSameFileSet,
  mayReadPost,
  type PostContent,
  type PublicationContext,
  withPostDefaults,
} from './post-rules.ts';

const content: PostContent = {
  kind: 'update',
  title: '',
  text: 'x',
  visibility: 'private',
  rights_confirmed: false,
};
const calm: PublicationContext = { profileIsOpen: true, hasFiles: false, wasPublic: false, asksForPublic: false };
const yesOrNo = [false, true];

describe('the state of a post', () => {
  it.each([
    ['private', true, 'private'],
    ['private', false, 'private'],
    ['public', true, 'public'],
    ['public', false, 'hidden'],
  ] as const)('that is chosen %s, with an author listed: %s, is %s', (visibility, isListed, state) => {
    expect(getPostState(visibility, isListed)).toBe(state);
  });

  it.each([
    ['author', 'private', true],
    ['author', 'hidden', true],
    ['author', 'public', true],
    ['stranger', 'private', false],
    ['stranger', 'hidden', false],
    ['stranger', 'public', true],
  ] as const)('lets the %s read a %s post: %s', (readerId, state, readable) => {
    expect(mayReadPost(readerId, 'author', state)).toBe(readable);
  });
});

describe('the rules of a post', () => {
  it('permit anything in a private post', () => {
    for (const kind of ['update', 'portfolio'] as const)
      for (const rights_confirmed of yesOrNo)
        for (const profileIsOpen of yesOrNo)
          for (const hasFiles of yesOrNo) {
            const fault = findPostFault({ ...content, kind, rights_confirmed }, { ...calm, profileIsOpen, hasFiles });
            expect(fault).toBeUndefined();
          }
  });

  // The combinations for public posts in which at least one rule could apply.
  it.each([
    // kind, rights, open profile, asks for public, files, public before → code
    ['update', false, true, true, false, false, undefined],
    ['update', false, false, true, false, false, 'invalid_visibility'],
    ['update', true, false, true, false, false, 'invalid_visibility'],
    ['update', true, false, true, true, true, 'invalid_visibility'],
    ['update', false, false, false, false, true, undefined],
    ['update', false, true, true, true, false, 'publication_rights_required'],
    ['update', true, true, true, true, false, undefined],
    ['update', false, true, true, true, true, undefined],
    ['update', false, true, false, true, true, undefined],
    ['portfolio', false, true, true, false, false, 'rights_required'],
    ['portfolio', false, true, true, true, false, 'rights_required'],
    ['portfolio', false, true, false, false, true, 'rights_required'],
    ['portfolio', false, false, false, false, true, 'rights_required'],
    ['portfolio', false, false, true, false, false, 'invalid_visibility'],
    ['portfolio', true, true, true, true, false, undefined],
    ['portfolio', true, false, false, true, true, undefined],
  ] as const)(
    'answer a public %s with rights %s, open profile %s, asked for %s, files %s, public before %s with %s',
    (kind, rights_confirmed, profileIsOpen, asksForPublic, hasFiles, wasPublic, code) => {
      const after: PostContent = { ...content, kind, rights_confirmed, visibility: 'public' };

      expect(findPostFault(after, { profileIsOpen, asksForPublic, hasFiles, wasPublic })?.code).toBe(code);
    },
  );
});

describe('the content of a post', () => {
  it('has the specified defaults', () => {
    expect(withPostDefaults({ text: 'x' })).toEqual(content);
  });

  it('keeps members that a change does not name, and accepts an empty title', () => {
    const stored: PostContent = {
      kind: 'portfolio',
      title: 't',
      text: 'x',
      visibility: 'public',
      rights_confirmed: true,
    };

    expect(applyPostChange(stored, {})).toEqual(stored);
    expect(applyPostChange(stored, { title: '', rights_confirmed: false, visibility: 'private' })).toEqual({
      ...stored,
      title: '',
      rights_confirmed: false,
      visibility: 'private',
    });
  });

  it.each([
    ['kind', 'portfolio'],
    ['title', 't'],
    ['text', 'y'],
    ['visibility', 'public'],
    ['rights_confirmed', true],
  ] as const)('differs if its %s differs', (member, value) => {
    expect(findChangedMembers(content, content)).toEqual({});
    expect(findChangedMembers(content, { ...content, [member]: value })).toEqual({ [member]: value });
  });

  it.each([
    [[], [], true],
    [['a', 'b'], ['b', 'a'], true],
    [['a'], ['a', 'b'], false],
    [['a', 'b'], ['a'], false],
    [['a', 'c'], ['a', 'b'], false],
    [[], ['a'], false],
  ])('with the ids %j has the bound files %j: %s', (sent, bound, same) => {
    expect(isSameFileSet(sent, bound)).toBe(same);
  });
});
