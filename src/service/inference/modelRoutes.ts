import { defined } from '../../base/defined.ts';
import { explainUpstream } from '../../base/explainFailure.ts';
import type { GatewayDescription } from '../../contract/control.ts';
import { routes } from '../../contract/routes.ts';
import type { App } from '../server.ts';
import type { ChatGateway } from './gateway.ts';
import { mount } from './hostForms.ts';
import { unknownModel } from './refusals.ts';

type Described = Pick<GatewayDescription, 'models' | 'providers'>;

/**
 * contract: not shown. Both the model list and the reading of one model follow services of this shape (unspecified.md).
 */
export function registerModelRoutes(app: App, gateway: ChatGateway): void {
	// Clients following public practice require a time. When a model was made is not known, so it is when this service
	// began to offer models.
	const created = Math.floor(Date.now() / 1000);
	mount(app, routes.modelList, async context => {
		const { upstreamProblems, ...described } = await gateway.describe();
		const data = described.models.map(model => ({ ...entryOf(model, described), created }));
		// A model may be missing because its server did not list it.
		const problems = upstreamProblems.map(problem => ({
			provider: problem.slug,
			message: explainUpstream(problem).cause,
		}));
		return context.json({
			object: 'list',
			data,
			...defined({ problems: problems.length === 0 ? undefined : problems }),
		});
	});
	// Model names may contain slashes.
	mount(app, { ...routes.modelList, path: `${routes.modelList.path}/:id{.+}` }, async context => {
		const { upstreamProblems, ...described } = await gateway.describe();
		const id = context.req.param('id');
		const model = described.models.find(candidate => candidate.id === id);
		if (model === undefined) {
			throw unknownModel(
				described.models.map(known => known.id),
				upstreamProblems,
			);
		}
		return context.json({ ...entryOf(model, described), created });
	});
}

function entryOf({ id, label, contextLength }: Described['models'][number], { providers }: Described): object {
	return {
		id,
		object: 'model',
		// The owner is the first provider that has the model.
		owned_by: providers.find(provider => provider.models?.includes(id))?.slug,
		...defined({ name: label, context_length: contextLength }),
	};
}
