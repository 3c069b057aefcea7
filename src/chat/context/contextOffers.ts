import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import type { ContextSource } from '../model/contextSource.ts';
import type { CompletionItem } from '../protocol/protocol.ts';
import type { ContextChoice } from './contextChoices.ts';
import { described, type FileSearch, type FoundPlace, ranked } from './fileSearch.ts';
import { type FoundSymbol, findSymbols } from './symbolSearch.ts';
import { type WebPages, webAddress } from './webPage.ts';

/** The number of items of each kind that are offered at a time. */
const OFFERED_FILES = 12;
const OFFERED_FOLDERS = 4;
const OFFERED_SYMBOLS = 8;

/** The number of items of earlier lists that are remembered: more than a page that is seconds behind can still show. */
const MAXIMUM_OFFERED = 1_000;

type Sources = () => Promise<ContextSource[]>;
type Offer = Omit<CompletionItem, 'id'> & { sources: Sources };

export interface OffersOptions {
	files: FileSearch;
	pages: WebPages;
	/** Returns the choices besides files, folders, symbols and pages. */
	choices(): ContextChoice[];
}

/** The items that the composer offers after `#` and `@`. */
export class ContextOffers {
	private readonly options: OffersOptions;
	/**
	 * The offered sources, by the ids that the page knows. Items of earlier lists are kept, because the page may show one
	 * while the next is on its way.
	 */
	private readonly offered = new Map<string, Sources>();

	constructor(options: OffersOptions) {
		this.options = options;
	}

	/** Resolves to the possible meanings of a word, the best match first. */
	async find(query: string): Promise<CompletionItem[]> {
		const address = webAddress(query);
		const offers = address ? [this.pageOffer(address)] : await this.offersFor(query);
		return offers.map(({ sources, ...item }) => ({ id: this.remember(sources), ...item }));
	}

	/** Returns an id with which the page can add these sources, once it shows them to the user. */
	remember(sources: Sources): string {
		const item = randomUUID();
		this.offered.set(item, sources);
		for (const id of this.offered.keys()) {
			if (this.offered.size <= MAXIMUM_OFFERED) {
				break;
			}
			this.offered.delete(id);
		}
		return item;
	}

	/** Resolves to the sources of an item. Rejects with a sentence for the user. */
	async take(id: string): Promise<ContextSource[]> {
		return (await this.offered.get(id)?.()) ?? [];
	}

	private pageOffer(address: URL): Offer {
		return {
			kind: 'web',
			label: vscode.l10n.t('Fetch {0}', address.href),
			sources: () => this.options.pages.sources(address),
		};
	}

	private async offersFor(query: string): Promise<Offer[]> {
		const words = query.toLowerCase();
		const { files, choices } = this.options;
		const chosen = choices().filter(
			({ label, word }) => label.toLowerCase().includes(words) || word.split(' ').some(part => part.startsWith(words)),
		);
		const [foundFiles, folders, symbols] = await Promise.all([
			files.find(query, OFFERED_FILES),
			query === '' ? [] : files.folders(),
			findSymbols(query),
		]);
		const path = (place: FoundPlace) => place.path;
		const best = <T>(values: T[], textOf: (value: T) => string, toOffer: (value: T) => Offer, count: number) =>
			ranked(values, textOf, query)
				.slice(0, count)
				.map(({ value, score }) => ({ offer: toOffer(value), score }));
		const found = [
			...best(foundFiles, path, fileOffer, OFFERED_FILES),
			...best(folders, path, folderOffer, OFFERED_FOLDERS),
			...best(symbols, ({ name }) => name, symbolOffer, OFFERED_SYMBOLS),
		];
		// Among equal kinds of matches, files come before folders, and folders before symbols.
		found.sort((one, other) => Math.floor(one.score) - Math.floor(other.score));
		return [
			...chosen.map(({ kind, label, description, sources }) => ({
				kind,
				label,
				sources,
				...defined({ description }),
			})),
			...found.map(({ offer }) => offer),
		];
	}
}

function fileOffer({ path, uri }: FoundPlace): Offer {
	return { kind: 'file', ...described(path), sources: async () => [{ kind: 'file', uri: uri.toString() }] };
}

function folderOffer({ path, uri }: FoundPlace): Offer {
	const { label, ...others } = described(path);
	return {
		kind: 'folder',
		label: `${label}/`,
		...others,
		sources: async () => [{ kind: 'folder', uri: uri.toString() }],
	};
}

function symbolOffer({ name, icon, description, source }: FoundSymbol): Offer {
	return { kind: 'selection', icon, label: name, description, sources: async () => [await source()] };
}
