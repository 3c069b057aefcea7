import { ENTERPRISE_PATH } from '../../contract/localConnection.ts';
import type { Route } from '../../contract/routes.ts';
import { type App, type AppContext, untilClientGoes } from '../server.ts';

/** The contract's host that a request was sent to. This service plays both, distinguished by the path. */
export type HostForm = 'public' | 'enterprise';

const PREFIXES: Readonly<Record<HostForm, string>> = { public: '', enterprise: ENTERPRISE_PATH };

/**
 * Mounts a route of the contract's table on both forms, or on the enterprise form only, depending on the route's host.
 * The signal of `handle` aborts when the client disconnects.
 */
export function mount(
	app: App,
	route: Route & { host: 'inference' | 'enterprise' },
	handle: (context: AppContext, host: HostForm, signal: AbortSignal) => Promise<Response>,
): void {
	const forms: readonly HostForm[] = route.host === 'inference' ? ['public', 'enterprise'] : ['enterprise'];
	for (const form of forms) {
		app.on(route.method, PREFIXES[form] + route.path, context =>
			untilClientGoes(context, signal => handle(context, form, signal)),
		);
	}
}
