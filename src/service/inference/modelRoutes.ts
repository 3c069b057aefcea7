import { defined } from '../../base/defined.ts';
import { routes } from '../../contract/routes.ts';
import type { App } from '../server.ts';
import type { ChatGateway } from './gateway.ts';
import { mount } from './hostForms.ts';

/** contract: not shown. The model list is the one that services of this shape offer (unspecified.md). */
export function registerModelRoutes(app: App, gateway: ChatGateway): void {
	mount(app, routes.modelList, async context => {
		const { models, providers } = await gateway.describe();
		const data = models.map(({ id, label, contextLength }) => ({
			id,
			object: 'model',
			// The owner is the first provider that has the model.
			owned_by: providers.find(provider => provider.models?.includes(id))?.slug,
			...defined({ name: label, context_length: contextLength }),
		}));
		return context.json({ object: 'list', data });
	});
}
