// Detects likely secrets in a file. A finding only makes the editor ask: a false one costs a question, a missed one
// costs a key.

/** One finding, in the order of the text. `line` counts from 1. */
export interface SecretFinding {
	kind: 'name' | 'private-key' | 'access-key' | 'password' | 'address';
	line?: number;
}

const NAMES: readonly RegExp[] = [
	/^\.env(?:\..+)?$/i,
	/^\.(?:npmrc|pypirc|netrc|pgpass|htpasswd|dockercfg|git-credentials)$/i,
	/^_netrc$/i,
	/^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/i,
	/\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg)$/i,
	/^(?:credentials|secrets?)(?:\.(?:json|ya?ml|toml|ini|txt|env))?$/i,
	/\.tfvars(?:\.json)?$/i,
	/^kubeconfig$/i,
];

/** Names of files that only show the form of a secret file and contain no secret. */
const EXAMPLE_NAME = /(?:^|[._-])(?:example|sample|template|dist|defaults?)(?:$|[._-])/i;

const PRIVATE_KEY = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/;

/** Keys that are recognisable by their form. */
const ACCESS_KEYS: readonly RegExp[] = [
	/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
	/\bgh[pousr]_[A-Za-z0-9]{36,255}\b/,
	/\bgithub_pat_[A-Za-z0-9_]{50,255}\b/,
	/\bglpat-[A-Za-z0-9_-]{20,64}\b/,
	/\bxox[abeoprs]-[A-Za-z0-9-]{10,250}\b/,
	/\bAIza[0-9A-Za-z_-]{35}\b/,
	/\b[rs]k_live_[0-9A-Za-z]{16,99}\b/,
	/\bsk-(?:[a-z]{2,12}-)?[A-Za-z0-9_-]{20,200}\b/,
	/\bnpm_[A-Za-z0-9]{36}\b/,
	/\beyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,1000}\b/,
];

const PASSWORD =
	/(?:passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|client[_-]?secret)["']?\s{0,4}(?::|=>|=)\s{0,4}(["'`]?)([^\s"'`,;]{8,200})\1/i;

/** `scheme://user:password@host`. */
const ADDRESS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'`]{1,100}:([^\s/@"'`]{3,200})@[\w.[]/i;

/** A placeholder instead of a value: `<token>`, `${TOKEN}`, `process.env.TOKEN`, `changeme`, `xxxxxxxx`. */
const PLACEHOLDER =
	/^(?:<.*>|\[.*\]|\{.*\}|\$.*|%.*%|(?:process|import|os|config|settings|env|this|self|options|request|req|ctx|params|args)[.[].*|.*\(.*|.*(?<![a-z])(?:example|placeholder|changeme|change-me|your|dummy|redacted|undefined|null|none|true|false|string|password|secret)(?![a-z]).*|(.)\1*|\*+.*)$/i;

/** Only this many characters of a line are examined, because a hostile line may be a megabyte long. */
const MAXIMUM_LINE = 4_000;

const MAXIMUM_FINDINGS = 5;

/** `path` uses slashes and ends with the file's name. */
export function isSecretName(path: string): boolean {
	const name = path.slice(path.lastIndexOf('/') + 1);
	return NAMES.some(pattern => pattern.test(name)) && !EXAMPLE_NAME.test(name) && !/\.pub$/i.test(name);
}

/** Returns the first few places in the text that look like a secret. */
export function findSecrets(text: string): SecretFinding[] {
	const findings: SecretFinding[] = [];
	for (const [index, whole] of text.split('\n').entries()) {
		const kind = kindOf(whole.slice(0, MAXIMUM_LINE));
		if (kind) {
			findings.push({ kind, line: index + 1 });
			if (findings.length === MAXIMUM_FINDINGS) {
				break;
			}
		}
	}
	return findings;
}

function kindOf(line: string): SecretFinding['kind'] | undefined {
	if (PRIVATE_KEY.test(line)) {
		return 'private-key';
	}
	if (ACCESS_KEYS.some(pattern => isRandom(pattern.exec(line)?.[0]))) {
		return 'access-key';
	}
	const [, , value] = PASSWORD.exec(line) ?? [];
	if (value !== undefined && isSecretValue(value)) {
		return 'password';
	}
	const [, password] = ADDRESS.exec(line) ?? [];
	return password !== undefined && !PLACEHOLDER.test(password) ? 'address' : undefined;
}

/** A secret mixes letters and digits in a way that names and types do not. */
function isSecretValue(value: string): boolean {
	return /[a-z]/i.test(value) && /\d/.test(value) && isRandom(value) && !PLACEHOLDER.test(value);
}

/** Made-up keys in documentation repeat themselves: `AKIAXXXXXXXXXXXXXXXX`. */
function isRandom(value: string | undefined): boolean {
	return value !== undefined && new Set(value).size >= Math.min(8, value.length - 1) && !/EXAMPLE/.test(value);
}
