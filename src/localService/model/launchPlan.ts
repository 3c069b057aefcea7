export interface LaunchPlan {
	command: string;
	arguments: string[];
	environment: Record<string, string>;
}

/**
 * What the service may see of the window's environment: what a program needs to find its files, its programs,
 * an SSH agent and certificates. No other variable of the editor reaches it.
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
	'ERRAND_STATE_HOME',
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

const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];

export interface LaunchInput {
	/** The editor's own Node, or its Electron. */
	execPath: string;
	servicePath: string;
	environment: NodeJS.ProcessEnv;
	/** `http.proxy` and `http.noProxy` of the editor; they win over the environment's. */
	proxy: { url?: string; except: readonly string[] };
}

/** How the local service is started: command, arguments and environment as data. */
export function launchPlan({ execPath, servicePath, environment, proxy }: LaunchInput): LaunchPlan {
	const allowed: Record<string, string> = { ELECTRON_RUN_AS_NODE: '1' };
	for (const name of [...INHERITED, ...PROXY_VARIABLES]) {
		const value = environment[name];
		if (value !== undefined) {
			allowed[name] = value;
		}
	}
	if (proxy.url) {
		for (const name of PROXY_VARIABLES) {
			delete allowed[name];
		}
		allowed['HTTP_PROXY'] = proxy.url;
		allowed['HTTPS_PROXY'] = proxy.url;
		allowed['NO_PROXY'] = ['localhost', '127.0.0.1', ...proxy.except].join(',');
	}
	return {
		command: execPath,
		arguments: ['--disable-warning=ExperimentalWarning', servicePath],
		environment: allowed,
	};
}
