import * as vscode from 'vscode';
import { untilAborted } from '../../base/async.ts';
import type { ContextSource } from '../model/contextSource.ts';
import type { SymbolIcon } from '../protocol/protocol.ts';
import { pathOf } from './readSource.ts';

/** The time to wait for a language server, in milliseconds. */
const SYMBOLS_MS = 500;
const RANGE_MS = 2_000;

/** Shorter words would match most symbols, which some language servers take long to list. */
const MINIMUM_QUERY = 2;

export interface FoundSymbol {
	readonly name: string;
	readonly icon: SymbolIcon;
	/** The path of the symbol's file, and the symbol that contains it. */
	readonly description: string;
	/** Resolves to all lines of the symbol as they are at that time. */
	source(): Promise<ContextSource>;
}

/** Resolves to the symbols of the workspace that language servers find, in their order; to none if they are slow. */
export async function findSymbols(query: string): Promise<FoundSymbol[]> {
	if (query.length < MINIMUM_QUERY) {
		return [];
	}
	const found = await inTime(
		vscode.commands.executeCommand<vscode.SymbolInformation[] | undefined>(
			'vscode.executeWorkspaceSymbolProvider',
			query,
		),
		SYMBOLS_MS,
	);
	return (found ?? []).flatMap(symbol => {
		const { name, kind, containerName, location } = symbol;
		// A server may resolve the range later, and symbols of libraries are outside the workspace.
		if (!location.range || !vscode.workspace.getWorkspaceFolder(location.uri)) {
			return [];
		}
		const description = [pathOf(location.uri), containerName].filter(part => part !== '').join(' · ');
		return { name, icon: ICONS[kind] ?? 'symbol-misc', description, source: () => sourceOf(symbol) };
	});
}

async function sourceOf({ name, location: { uri, range } }: vscode.SymbolInformation): Promise<ContextSource> {
	const outline = await inTime(
		vscode.commands.executeCommand<vscode.DocumentSymbol[] | undefined>('vscode.executeDocumentSymbolProvider', uri),
		RANGE_MS,
	);
	const { start, end } = wholeRange(outline ?? [], name, range) ?? range;
	// Whole lines, so that the first one keeps its indentation.
	const line = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
	return {
		kind: 'selection',
		uri: uri.toString(),
		range: { start: { line: start.line, character: 0 }, end: { line, character: 0 } },
	};
}

/** Returns the range of the innermost symbol of that name around a place; its name there may end with `()`. */
function wholeRange(
	outline: readonly vscode.DocumentSymbol[],
	name: string,
	place: vscode.Range,
): vscode.Range | undefined {
	const plain = (text: string) => text.replace(/\(.*$/s, '');
	for (const symbol of outline) {
		if (symbol.range.contains(place.start)) {
			const inner = wholeRange(symbol.children ?? [], name, place);
			if (inner || plain(symbol.name) === plain(name)) {
				return inner ?? symbol.range;
			}
		}
	}
	return undefined;
}

/** Resolves to undefined if there is no answer in time, or none at all. */
function inTime<T>(answer: Thenable<T>, milliseconds: number): Promise<T | undefined> {
	return untilAborted(Promise.resolve(answer), AbortSignal.timeout(milliseconds)).catch(() => undefined);
}

const ICONS: Partial<Record<vscode.SymbolKind, SymbolIcon>> = {
	[vscode.SymbolKind.Class]: 'symbol-class',
	[vscode.SymbolKind.Struct]: 'symbol-class',
	[vscode.SymbolKind.Interface]: 'symbol-interface',
	[vscode.SymbolKind.Enum]: 'symbol-enum',
	[vscode.SymbolKind.Function]: 'symbol-method',
	[vscode.SymbolKind.Method]: 'symbol-method',
	[vscode.SymbolKind.Constructor]: 'symbol-method',
	[vscode.SymbolKind.Variable]: 'symbol-variable',
	[vscode.SymbolKind.Constant]: 'symbol-constant',
	[vscode.SymbolKind.Field]: 'symbol-field',
	[vscode.SymbolKind.Property]: 'symbol-field',
	[vscode.SymbolKind.Module]: 'symbol-namespace',
	[vscode.SymbolKind.Namespace]: 'symbol-namespace',
	[vscode.SymbolKind.Package]: 'symbol-namespace',
};
