import { childEnvironment } from '../../base/childEnvironment.ts';
import { proxyExceptions } from '../../base/loopback.ts';

export interface StartCommand {
	command: string;
	arguments: string[];
	environment: Record<string, string>;
}

/**
 * The environment variables that the service may see in addition to those of every child: those that it needs to find the
 * user's files, an SSH agent, certificates and the Ollama server of this machine. It gets no other one of the editor.
 */
const INHERITED = [
	'HOME',
	'USER',
	'LOGNAME',
	'SHELL',
	'LC_ALL',
	'XDG_STATE_HOME',
	'XDG_RUNTIME_DIR',
	'SSH_AUTH_SOCK',
	'NODE_EXTRA_CA_CERTS',
	'NODE_USE_SYSTEM_CA',
	'SSL_CERT_FILE',
	'SSL_CERT_DIR',
	'ERRAND_STATE_HOME',
	'OLLAMA_HOST',
	'windir',
	'USERPROFILE',
	'LOCALAPPDATA',
	'APPDATA',
	'HOMEDRIVE',
	'HOMEPATH',
];

const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];

export interface StartInput {
	/** The editor's own Node, or its Electron. */
	execPath: string;
	servicePath: string;
	environment: NodeJS.ProcessEnv;
	/** The editor's `http.proxy` and `http.noProxy`. Each takes precedence over its counterpart in the environment. */
	proxy: { url?: string; except: readonly string[] };
}

/** Returns the command that starts the local service, with its arguments and environment. */
export function startCommand({ execPath, servicePath, environment, proxy }: StartInput): StartCommand {
	const allowed = childEnvironment(environment, { ELECTRON_RUN_AS_NODE: '1' });
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

/** The editor ignores a proxy setting that is not an address, but with it every request of the service would fail. */
function isProxyAddress(url: string | undefined): url is string {
	return url?.includes('://') === true && URL.canParse(url);
}
