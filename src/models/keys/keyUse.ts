import type { Connection } from '../../contract/connection.ts';
import type { KeyKind } from '../../contract/routes.ts';
import type { UpstreamKind, UpstreamSetting } from '../../contract/upstreams.ts';
import type { HostKind } from '../hosts/askHost.ts';
import { connectionKey, type KeySlot, type KeyUseKind, serverKey } from '../model/keyFormat.ts';
import { MODEL_SERVICES, type ModelService } from '../model/modelServices.ts';

/** Describes what a key is for: its service, and the host that is asked about it. */
export interface KeyUse {
	kind: KeyUseKind;
	/** The name of the service's entry in the settings. */
	name: string;
	/** The service's name for the user. */
	service: string;
	slot: KeySlot;
	/** The host that is asked about the key. Without an address, there is none. */
	host: { kind: HostKind; url: string | undefined; form?: UpstreamKind | undefined };
	/** The page on which keys are made. */
	page?: string | undefined;
	/** Set if the host lists its models to anybody. */
	openList?: ModelService['openList'] | undefined;
	cloudTokenPrefix?: string | undefined;
}

/** Returns what the key of a connection is for. */
export function connectionKeyUse(connection: Connection, kind: KeyKind): KeyUse {
	const { name, label = name, plan, apiUrl, enterpriseUrl, cloudUrl, agentUrl } = connection;
	const hosts = {
		inference: { kind: 'apiUrl', url: (plan === 'enterprise' && enterpriseUrl) || apiUrl },
		cloud: { kind: 'cloudUrl', url: cloudUrl },
		agent: { kind: 'agentUrl', url: agentUrl },
	} as const;
	return {
		kind,
		name,
		service: label,
		slot: connectionKey(connection, kind),
		host: hosts[kind],
		page: connection.dashboardUrl,
		cloudTokenPrefix: connection.cloudTokenPrefix,
	};
}

/** Returns what the key of a model server is for. */
export function serverKeyUse({ slug, setting }: { slug: string; setting: UpstreamSetting }): KeyUse {
	const { url, label = slug, kind: form } = setting;
	const { keyPage: page, openList } = MODEL_SERVICES.find(service => service.url === url) ?? {};
	const host = { kind: 'server', url, form } as const;
	return { kind: 'server', name: slug, service: label, slot: serverKey(slug, url), host, page, openList };
}
