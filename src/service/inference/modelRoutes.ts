import { routes } from '../../contract/routes.ts';
import type { App } from '../server.ts';
import type { ChatGateway } from './gateway.ts';
import { mount } from './hostForms.ts';

/** contract: not shown. The list of models that services of this shape have (unspecified.md). */
export function registerModelRoutes(app: App, gateway: ChatGateway): void {
	mount(app, routes.modelList, async context => {
		const { models, providers } = await gateway.picture();
		const data = models.map(({ id, label, contextLength }) => ({
			id,
			object: 'model',
			// Who has it, the first of them where there are several.
			owned_by: providers.find(provider => provider.models?.includes(id))?.slug,
			...(label === undefined ? {} : { name: label }),
			...(contextLength === undefined ? {} : { context_length: contextLength }),
		}));
		return context.json({ object: 'list', data });
	});
}
