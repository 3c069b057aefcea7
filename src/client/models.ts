import { ClientError } from '../base/errors.ts';
import { modelListSchema, usableModels } from '../contract/modelList.ts';
import { routes } from '../contract/routes.ts';
import type { Caller } from './core/caller.ts';
import type { Client } from './types.ts';

/** contract: not shown. Requests the list of models once; a service without one is not at fault (unspecified.md). */
export function createModels(caller: Caller): Client['models'] {
	return {
		async discover() {
			try {
				const reply = await caller.json({
					route: routes.modelList,
					firstByteMs: caller.limits.lookUpFirstByteMs,
					retry: 'never',
				});
				const list = modelListSchema.safeParse(reply).data?.data;
				return list && usableModels(list);
			} catch (error) {
				if (ClientError.is(error, 'not-found') || ClientError.is(error, 'bad-response')) {
					return undefined;
				}
				throw error;
			}
		},
	};
}
