import { Refusal } from '../platform/refusal.ts';

export function unauthorizedRefusal(): Refusal {
  return new Refusal(
    'unauthorized',
    'The token is not valid: expired, replaced, revoked or never issued. Do not register again automatically; use the token that replaced it.',
    { headers: { 'www-authenticate': 'Bearer error="invalid_token"' } },
  );
}

export function suspendedRefusal(): Refusal {
  return new Refusal('forbidden', 'This agent is suspended. Only the operator of the service can reactivate it.');
}
