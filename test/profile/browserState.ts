// The state of extensions and their secrets as the page of a served editor stores them in the browser.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import type { BrowserContext, BrowserContextOptions } from 'playwright-core';
import type { EditorState } from './profile.ts';

const EXTENSION = 'errand.errand';
const DATABASE = 'vscode-web-state-db-global';
const TABLE = 'ItemTable';
const SECRETS = 'secrets.provider';

/** A text is sealed with a key whose one half stands before it, and whose other half only the server knows. */
const KEY_LENGTH = 32;
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

type Stored = Exclude<BrowserContextOptions['storageState'], string | undefined>;

/** Returns what the browser has of the extension. `keyFile` holds the server's half of the key. */
export async function stateOf(context: BrowserContext, keyFile: string): Promise<EditorState> {
	const { origins } = await context.storageState({ indexedDB: true });
	const [origin] = origins as Stored['origins'];
	const sealed = origin?.localStorage.find(({ name }) => name === SECRETS)?.value ?? '';
	const secrets = Object.entries<string>(JSON.parse(unseal(sealed, readFileSync(keyFile))))
		.map(([name, value]) => [JSON.parse(name), value] as const)
		.filter(([{ extensionId }]) => extensionId === EXTENSION)
		.map(([{ key }, value]) => [key, value]);
	const databases = (origin as { indexedDB?: Database[] } | undefined)?.indexedDB ?? [];
	const records = databases.find(({ name }) => name === DATABASE)?.stores.find(({ name }) => name === TABLE)?.records;
	const state = records?.find(({ key }) => key === EXTENSION)?.value ?? '{}';
	return { secrets: Object.fromEntries(secrets), globalState: JSON.parse(state) };
}

interface Database {
	name: string;
	version: number;
	stores: { name: string; autoIncrement: boolean; indexes: []; records: { key: string; value: string }[] }[];
}

/** Returns what a browser has to hold before the first window is opened, and writes the server's half of the key. */
export function storageState(origin: string, keyFile: string, { secrets, globalState }: EditorState): Stored {
	const serverKey = randomBytes(KEY_LENGTH);
	writeFileSync(keyFile, serverKey, { mode: 0o600 });
	const named = Object.entries(secrets).map(([key, value]) => [JSON.stringify({ extensionId: EXTENSION, key }), value]);
	const database: Database = {
		name: DATABASE,
		version: 1,
		stores: [
			{
				name: TABLE,
				autoIncrement: false,
				indexes: [],
				records: [{ key: EXTENSION, value: JSON.stringify(globalState) }],
			},
		],
	};
	const localStorage = [{ name: SECRETS, value: seal(JSON.stringify(Object.fromEntries(named)), serverKey) }];
	return { cookies: [], origins: [{ origin, localStorage, indexedDB: [database] } as Stored['origins'][number]] };
}

/** Returns the name of the folder that the editor gives to a window on a folder: a digest of its address. */
export function workspaceId(address: string): string {
	let hash = 149_417;
	for (const unit of address) {
		hash = ((hash << 5) - hash + unit.charCodeAt(0)) | 0;
	}
	return hash.toString(16);
}

function seal(text: string, serverKey: Buffer): string {
	const [pageKey, nonce] = [randomBytes(KEY_LENGTH), randomBytes(NONCE_LENGTH)];
	const cipher = createCipheriv('aes-256-gcm', bothHalves(pageKey, serverKey), nonce);
	const sealed = [cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
	return Buffer.concat([pageKey, nonce, ...sealed]).toString('base64');
}

function unseal(text: string, serverKey: Buffer): string {
	const bytes = Buffer.from(text, 'base64');
	const nonce = bytes.subarray(KEY_LENGTH, KEY_LENGTH + NONCE_LENGTH);
	const decipher = createDecipheriv('aes-256-gcm', bothHalves(bytes.subarray(0, KEY_LENGTH), serverKey), nonce);
	decipher.setAuthTag(bytes.subarray(-TAG_LENGTH));
	return decipher.update(bytes.subarray(KEY_LENGTH + NONCE_LENGTH, -TAG_LENGTH), undefined, 'utf8');
}

const bothHalves = (pageKey: Buffer, serverKey: Buffer) =>
	Buffer.from(pageKey.map((byte, at) => byte ^ (serverKey[at] ?? 0)));
