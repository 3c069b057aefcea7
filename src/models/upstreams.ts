import { defined } from '../base/defined.ts';
import type { Logger } from '../base/logger.ts';
import type { UpstreamHandoverInput } from '../contract/upstreams.ts';
import { readSetting } from '../platform/settings.ts';
import type { KeyStore } from './keys/keyStore.ts';
import { serverKey } from './model/keyFormat.ts';
import { readUpstreamSettings } from './model/upstreamSettings.ts';

/** Returns the model servers of the settings with their keys from the secret storage. Never rejects. */
export async function currentUpstreams(
	store: KeyStore,
	logger: Logger,
): Promise<Pick<UpstreamHandoverInput, 'upstreams' | 'findOllama'>> {
	const { upstreams, problems, findOllama } = readUpstreamSettings(readSetting('errand.local.upstreams'));
	for (const { issue } of problems) {
		const reason = issue === undefined ? 'its name' : `${issue.path.join('.')}: ${issue.message}`;
		logger.log('warn', 'an entry of errand.local.upstreams cannot be used', { reason });
	}
	const list = upstreams.map(async ({ slug, setting }) => {
		const usable = await store.usable(serverKey(slug, setting.url)).catch(() => undefined);
		return { ...setting, slug, ...defined({ key: usable?.key }) };
	});
	return { upstreams: await Promise.all(list), findOllama };
}
