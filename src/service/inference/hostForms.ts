import { ENTERPRISE_PATH } from '../../contract/localConnection.ts';
import type { Route } from '../../contract/routes.ts';
import type { App, AppContext } from '../server.ts';

/** Which of the two hosts of the contract a request came to. Both are this service, told apart by the path. */
export type HostForm = 'public' | 'enterprise';

const PREFIXES: Readonly<Record<HostForm, string>> = { public: '', enterprise: ENTERPRISE_PATH };

/** Mounts a route of the contract's table wherever it lives: on both forms, or on the enterprise form alone. */
export function mount(
	app: App,
	route: Route & { host: 'inference' | 'enterprise' },
	handle: (context: AppContext, host: HostForm) => Response | Promise<Response>,
): void {
	const forms: readonly HostForm[] = route.host === 'inference' ? ['public', 'enterprise'] : ['enterprise'];
	for (const form of forms) {
		app.on(route.method, PREFIXES[form] + route.path, context => handle(context, form));
	}
}
