import { clientMutations } from './client.ts';
import { contractMutations } from './contract.ts';
import { cryptoMutations } from './crypto.ts';
import type { Mutation } from './mutation.ts';
import { serviceMutations } from './service.ts';

/**
 * Small changes, each of which the proofs must notice. `npm run test:conformance -- --mutate` makes them one at a time,
 * in a copy of the sources.
 */
export const mutations: readonly Mutation[] = [
	...clientMutations,
	...contractMutations,
	...cryptoMutations,
	...serviceMutations,
];
