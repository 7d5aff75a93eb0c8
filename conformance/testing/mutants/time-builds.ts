import { parseFaults } from '../fault-language.ts';
import { parseBuildTable } from '../faulty-build.ts';

const detached = 'new.detached_at is not null and old.detached_at is null';

export const clockFaultBuilds = parseBuildTable(
  'time',
  `
keeps unattached files for two days | unattached-files | before insert on attachments | new.created_at := new.created_at + interval '1 day'; return new;
removes unattached files after 22 hours | unattached-files | before insert on attachments | new.created_at := new.created_at - interval '2 hours'; return new;
removes detached files after 32 days | detached-files order-files | before update on attachments | if ${detached} then new.detached_at := new.detached_at + interval '2 days'; end if; return new;
removes the files of posts as if they were deleted | detached-files | before update on attachments | if new.bound_kind = 'post' then new.detached_at := new.created_at; end if; return new;
removes the files of open orders | order-files | before update on attachments | if new.bound_kind = 'order' then new.detached_at := new.created_at; end if; return new;
accepts offers for a year after their deadline | deadline | before insert on orders | new.deadline := new.deadline + interval '1 year'; return new;
ends tokens two days late | tokens streams | before insert on tokens | new.expires_at := new.expires_at + interval '2 days'; return new;
ends tokens a day early | tokens | before insert on tokens | new.expires_at := new.expires_at - interval '1 day'; return new;
drops waiting events after a day | waiting-events | before insert on events | new.expires_at := new.created_at + interval '1 day'; return new;
keeps messages for 92 days | messages message-ids | before insert on messages | new.expires_at := new.expires_at + interval '2 days'; return new;
keeps messages for 88 days | messages | before insert on messages | new.expires_at := new.expires_at - interval '2 days'; return new;
`,
);

export const timeMutants = parseFaults(
  'time',
  `
keeps the addresses of removed files | unattached-files | GET /attachments/* 200 -> replace '_url":null' '_url":"/gone"'
stores the availability of files with a result | order-files | POST /orders -> replace '"available":false' '"available":true'
accepts expired offers automatically | deadline | GET /orders/* -> replace '"state":"offered"' '"state":"funded"'
takes the nonces of expired messages | message-ids | POST /messages nonce_reuse -> 201 {}
`,
);
