import { fillPath, routes } from '../../contract/routes.ts';
import type { App, AppContext } from '../../service/server.ts';
import { parameter } from '../../service/sources/sourceRoutes.ts';
import type { Source } from '../configuration.ts';
import type { SourceTokens } from '../database/sourceTokens.ts';
import { hostFor } from '../sources/repositories.ts';
import type { Access } from './access.ts';

export interface SourceRoutesDependencies {
	access: Access;
	sources: readonly Source[];
	tokens: SourceTokens;
}

/** Registers the look-ups of every source host, which are made with the caller's own token. */
export function registerSourceRoutes(app: App, { access, sources, tokens }: SourceRoutesDependencies): void {
	for (const source of sources) {
		const host = (context: AppContext) => hostFor(source, access.userOf(context), tokens);
		const path = (route: { path: string }) => fillPath(route.path, { scm: source.scm });

		app.get(path(routes.organisations), async context => context.json(await (await host(context)).organisations()));

		app.get(path(routes.repositories), async context => {
			const owner = parameter(context, 'owner');
			return context.json(await (await host(context)).repositories(owner));
		});

		app.get(path(routes.branches), async context => {
			const [owner, name] = [parameter(context, 'owner'), parameter(context, 'repo')];
			return context.json(await (await host(context)).branches(owner, name));
		});
	}
}
