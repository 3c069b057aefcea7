import path from 'node:path';
import { proxyAddress } from '../../../agents/relay/relay.ts';

export interface InstallationPlace {
	/** The address of the relay for the command: `http://127.0.0.1:<port>`. */
	relay: string;
	/** The relay's token. */
	token: string;
	/** The home folder of the run, as the command sees it. Package managers store all their data there. */
	home: string;
}

/** Returns the folder that Bundler installs into. By default, it would use the operating system's own. */
export function bundlerFolder(home: string): string {
	return path.posix.join(home, '.bundle', 'packages');
}

/** Returns the variables for the commands of an installation, for all package managers. */
export function installationEnvironment({ relay, token, home }: InstallationPlace): Record<string, string> {
	const address = proxyAddress(relay, token);
	return {
		HOME: home,
		CI: '1',
		// Programs differ in which of these they read.
		HTTPS_PROXY: address,
		HTTP_PROXY: address,
		https_proxy: address,
		http_proxy: address,
		YARN_HTTPS_PROXY: address,
		YARN_HTTP_PROXY: address,
		// Nothing but packages is to be fetched.
		NO_UPDATE_NOTIFIER: '1',
		npm_config_update_notifier: 'false',
		npm_config_audit: 'false',
		npm_config_fund: 'false',
		// The repository's own configuration could name programs of its own for these.
		npm_config_git: 'git',
		YARN_IGNORE_PATH: '1',
		CARGO_BUILD_RUSTC: 'rustc',
		CARGO_BUILD_RUSTC_WRAPPER: '',
		YARN_ENABLE_TELEMETRY: '0',
		COREPACK_ENABLE_DOWNLOAD_PROMPT: '0',
		PIP_DISABLE_PIP_VERSION_CHECK: '1',
		UV_PYTHON_DOWNLOADS: 'never',
		// If the system manages its Python, pip must be told explicitly to install into the user's own folder.
		PIP_BREAK_SYSTEM_PACKAGES: '1',
		BUNDLE_FROZEN: 'true',
		BUNDLE_PATH: bundlerFolder(home),
	};
}
