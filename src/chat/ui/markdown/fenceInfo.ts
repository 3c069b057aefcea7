import { defined } from '../../../base/defined.ts';

export interface FenceInfo {
	language?: string;
	/** The name as it is written, which is hostile input like everything in a reply. */
	file?: string;
}

/** Longer than any name that a person would choose. */
const MAXIMUM_LENGTH = 400;

const NAMED = /(?:^|\s)(?:title|file|filename|path)=(?:"([^"]+)"|'([^']+)'|(\S+))/i;
const FILE_NAME = /^[^\s"'`=<>|*?]*[^\s"'`=<>|*?./\\]\.[A-Za-z][\w-]{0,11}(?::\d[\d:-]*|#L\d[\dL-]*)?$/;

/** Parses the info string of a fence: `ts`, `ts src/a.ts`, `ts:src/a.ts`, `src/a.ts`, `ts title="src/a.ts"`. */
export function parseFenceInfo(info: string): FenceInfo {
	const text = info.trim().slice(0, MAXIMUM_LENGTH);
	const [first = '', second = ''] = text.split(/\s+/);
	const [, doubleQuoted, singleQuoted, bare] = NAMED.exec(text) ?? [];
	const named = doubleQuoted ?? singleQuoted ?? bare;
	if (named !== undefined) {
		return { ...(NAMED.test(first) ? languageOfFile(named) : language(first)), file: named };
	}
	const [, before, after = ''] = /^([\w+#-]+):(.+)$/.exec(first) ?? [];
	if (before !== undefined && isFileName(after)) {
		return { language: before, file: after };
	}
	if (isFileName(first)) {
		return { ...languageOfFile(first), file: first };
	}
	return { ...language(first), ...defined({ file: isFileName(second) ? second : undefined }) };
}

function isFileName(word: string): boolean {
	return FILE_NAME.test(word);
}

function language(word: string): FenceInfo {
	return word === '' ? {} : { language: word };
}

function languageOfFile(file: string): FenceInfo {
	return language(/\.([A-Za-z][\w-]*)(?:[:#].*)?$/.exec(file)?.[1] ?? '');
}
