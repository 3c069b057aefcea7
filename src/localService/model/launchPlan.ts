import { proxyExceptions } from '../../base/loopback.ts';

export interface LaunchPlan {
	command: string;
	arguments: string[];
	environment: Record<string, string>;
}

/**
 * What the service may see of the window's environment: what a program needs to find its files, its programs,
 * an SSH agent, certificates and the Ollama of this machine. No other variable of the editor reaches it.
 */
const INHERITED = [
	'PATH',
	'HOME',
	'USER',
	'LOGNAME',
	'SHELL',
	'LANG',
	'LC_ALL',
	'LC_CTYPE',
	'TZ',
	'TMPDIR',
	'TEMP',
	'TMP',
	'XDG_STATE_HOME',
	'XDG_RUNTIME_DIR',
	'SSH_AUTH_SOCK',
	'NODE_EXTRA_CA_CERTS',
	'NODE_USE_SYSTEM_CA',
	'SSL_CERT_FILE',
	'SSL_CERT_DIR',
	'ERRAND_STATE_HOME',
	'OLLAMA_HOST',
	'SystemRoot',
	'windir',
	'ComSpec',
	'PATHEXT',
	'USERPROFILE',
	'LOCALAPPDATA',
	'APPDATA',
	'HOMEDRIVE',
	'HOMEPATH',
];

const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];

export interface LaunchInput {
	/** The editor's own Node, or its Electron. */
	execPath: string;
	servicePath: string;
	environment: NodeJS.ProcessEnv;
	/** `http.proxy` and `http.noProxy` of the editor; each wins over its like in the environment. */
	proxy: { url?: string; except: readonly string[] };
}

/** How the local service is started: command, arguments and environment as data. */
export function launchPlan({ execPath, servicePath, environment, proxy }: LaunchInput): LaunchPlan {
	const allowed: Record<string, string> = { ELECTRON_RUN_AS_NODE: '1' };
	const inherit = (names: readonly string[]) => {
		for (const name of names) {
			const value = environment[name];
			if (value !== undefined) {
				allowed[name] = value;
			}
		}
	};
	inherit(INHERITED);
	if (isProxyAddress(proxy.url)) {
		allowed['HTTP_PROXY'] = proxy.url;
		allowed['HTTPS_PROXY'] = proxy.url;
	} else {
		inherit(PROXY_VARIABLES);
	}
	if (PROXY_VARIABLES.some(name => allowed[name])) {
		const inherited = environment['no_proxy'] || environment['NO_PROXY'];
		const except = proxy.except.length > 0 || !inherited ? proxy.except : [inherited];
		allowed['NO_PROXY'] = proxyExceptions(except);
	}
	return {
		command: execPath,
		arguments: ['--disable-warning=ExperimentalWarning', servicePath, '--upstreams-from-stdin'],
		environment: allowed,
	};
}

/** The editor takes a setting that is no address for none; with it every request of the service would fail. */
function isProxyAddress(url: string | undefined): url is string {
	return url?.includes('://') === true && URL.canParse(url);
}
