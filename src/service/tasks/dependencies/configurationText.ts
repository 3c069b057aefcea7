// Reads single settings from the configuration files of package managers. None of these readers knows its format whole:
// what they do not understand is not found, and then a host that was not found is not allowed. All of them go line by
// line, so that no file, however hostile, takes long.

export interface Setting {
	/** The name of the table in TOML. Empty in other formats. */
	table: string;
	key: string;
	value: string;
}

const linesOf = (text: string): string[] => text.split(/\r\n|\n|\r/);

/** Reads `key = value` lines, as `.npmrc` has them. */
export function readIni(text: string): Setting[] {
	return linesOf(text).flatMap(line => {
		const at = line.indexOf('=');
		const key = line.slice(0, at).trim();
		return at < 1 || /^[;#[]/.test(key) ? [] : [setting(key, unquoted(line.slice(at + 1).trim()))];
	});
}

/** Reads `key "value"` lines, as `.yarnrc` has them. */
export function readWords(text: string): Setting[] {
	return linesOf(text).flatMap(line => {
		const [, key, value] = /^("[^"]*"|[^\s"#]\S*)[ \t]+(\S.*)$/.exec(line.trim()) ?? [];
		return key === undefined || value === undefined ? [] : [setting(unquoted(key), unquoted(value.trim()))];
	});
}

/** Reads the `key: value` lines of YAML, however deep. The table is the last line above that is less indented. */
export function readYaml(text: string): Setting[] {
	let table = '';
	return linesOf(text).flatMap(line => {
		const [, indent = '', key = '', rest = ''] =
			/^( *)("[^"]*"|'[^']*'|[^\s"'#:][^:]*):(?: +(\S.*))?$/.exec(line) ?? [];
		const value = rest.startsWith('#') ? '' : withoutComment(rest);
		if (value === '') {
			table = indent === '' && key !== '' ? unquoted(key) : table;
			return [];
		}
		return [{ table: indent === '' ? '' : table, key: unquoted(key), value: unquoted(value) }];
	});
}

/** Reads the `key = "value"` lines of TOML. Values of other types are returned as they are written. */
export function readToml(text: string): Setting[] {
	let table = '';
	return linesOf(text).flatMap(line => {
		const [, header] = /^\[\[?([^[\]]+)\]\]?[ \t]*(?:#.*)?$/.exec(line.trim()) ?? [];
		if (header !== undefined) {
			table = header.trim();
			return [];
		}
		const at = line.indexOf('=');
		const key = unquoted(line.slice(0, Math.max(0, at)).trim());
		return key === '' ? [] : [{ table, key, value: unquoted(withoutComment(line.slice(at + 1).trim())) }];
	});
}

/** Returns the https addresses in a text, such as a list of them. */
export function addressesIn(text: string): string[] {
	return text.match(/https:\/\/[^\s"'`,;<>()[\]{}]+/g) ?? [];
}

const setting = (key: string, value: string): Setting => ({ table: '', key, value });

function unquoted(text: string): string {
	const [, inner = text] = /^"([^"]*)"$/.exec(text) ?? /^'([^']*)'$/.exec(text) ?? [];
	return inner;
}

/** A `#` within quotes or an address begins no comment. */
function withoutComment(text: string): string {
	const [, quoted] = /^("[^"]*"|'[^']*')/.exec(text) ?? [];
	const at = text.search(/[ \t]#/);
	return quoted ?? (at === -1 ? text : text.slice(0, at).trimEnd());
}
