import { inferenceError, jsonReply, type Route } from './exchange.ts';
import { models, service } from './fixtures.ts';

/** contract: not shown. The list has the shape that OpenAI-compatible services share. */
export function modelListRoutes(): Route[] {
	return [
		{
			hosts: ['public', 'enterprise'],
			method: 'GET',
			path: '/v1/models',
			key: 'inference',
			errorBody: inferenceError,
			handle: () =>
				jsonReply({
					object: 'list',
					data: models.map(({ id }, index) => ({
						id,
						object: 'model',
						created: 1_700_000_000 + index,
						owned_by: service,
					})),
				}),
		},
	];
}
