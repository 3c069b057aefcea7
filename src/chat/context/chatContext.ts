import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { Clock } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import { DisposableStore } from '../../base/disposable.ts';
import { describeError, UserFacingError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { oneLine } from '../../base/plainText.ts';
import { thenComposer } from '../../platform/editorUse.ts';
import { type Explanation, showMessage } from '../../platform/notify.ts';
import type { Chat } from '../conversation/chat.ts';
import type { SendRefusal } from '../conversation/chatOptions.ts';
import { type Attachment, estimateTokens } from '../model/attachment.ts';
import type { ContextSource } from '../model/contextSource.ts';
import { type Conversation, findTurn } from '../model/conversation.ts';
import { isImagePath } from '../model/textFile.ts';
import { MAXIMUM_DROPPED } from '../model/uriList.ts';
import { chooseModelButton, noImagesText } from '../policy/messages.ts';
import type { CompletionItem, FromPage, PageHandlers, ToPage } from '../protocol/protocol.ts';
import type { PictureStore } from '../storage/pictureStore.ts';
import { type Chip, ContextChips, mayRead, toChipView } from './contextChips.ts';
import { contextChoices } from './contextChoices.ts';
import { ContextImages } from './contextImages.ts';
import { FileSearch } from './fileSearch.ts';
import { fitContext, type Measure, pickShortened, warningText } from './fitContext.ts';
import { openPlace } from './openPlace.ts';
import { fileSource, hostUri, pastedContext, unreadSource } from './pastedContext.ts';
import { pickContext } from './pickContext.ts';
import type { TerminalMemory } from './terminalMemory.ts';

/** Files that `#` offers at a time. */
const OFFERED_FILES = 12;

/** Of the lists that `#` has offered: more than a page that is seconds behind can still show. */
const MAXIMUM_OFFERED = 1_000;

/** How long a message waits for what is still being added, in milliseconds: some file systems never answer. */
const ADDING_MS = 10_000;

type ContextKind = Extract<
	FromPage['kind'],
	`context-${string}` | `chip-${string}` | `completion-${string}` | `paste-${string}` | 'preview-request'
>;

export interface ChatContextOptions {
	state: vscode.Memento;
	pictures: PictureStore;
	/** The conversation that has a turn. */
	conversationOf(turn: string): Promise<Conversation | undefined>;
	/** Whether the conversation that is shown is encrypted: nothing but text has a way there. */
	isEncrypted(): boolean;
	/** The last command of a terminal, once one has run. */
	terminal(): TerminalMemory | undefined;
	/** Whether the conversation that is shown is kept. */
	mayKeep(): boolean;
	/** Of the conversation that is shown and the model that is chosen, without a question. */
	measure(): Measure;
	/** Resolves when that says all that can be known. */
	measurable(): Promise<void>;
	/** Asks anew for what it says; resolves when that is known, or cannot be. */
	measureAgain(): Promise<void>;
	post(message: ToPage): void;
	focusComposer(): void;
	clock: Clock;
	logger: Logger;
}

interface Added {
	/** Of the chips that what was found is now. */
	ids: readonly string[];
	/** Some of what was found is no chip. */
	isMissing: boolean;
}

/** The composer's context: its chips, the ways to add to them, and what of them goes with a message. */
export class ChatContext {
	private readonly options: ChatContextOptions;
	private readonly store = new DisposableStore();
	private readonly chips: ContextChips;
	private readonly images: ContextImages;
	readonly files = new FileSearch();
	/** By the ids that the page knows: also what earlier lists had, as the page may show one while the next is on its way. */
	private readonly offered = new Map<string, () => Promise<ContextSource[]>>();
	/** What is being added. Never rejects. */
	private readonly adding = new Set<Promise<Added>>();
	/** What was pasted last; with its place, once that is known. */
	private pasted: { paste: string; sources: ContextSource[] | undefined } | undefined;

	/** Does what the page asks about the context. */
	readonly handlers: PageHandlers<ContextKind> = {
		'context-pick': () => this.thenComposer(() => this.addFrom(() => this.pick())),
		'context-shorten': () => this.thenComposer(() => pickShortened(this.chips, this.options.measure())),
		'context-drop': ({ uris }) => this.addFrom(() => droppedSources(uris)),
		'context-text': ({ name, text }) => this.addFrom(async () => [{ kind: 'text', label: oneLine(name), text }]),
		'context-image': ({ name, data }) =>
			this.addFrom(async () => {
				this.refuseEncryptedImage();
				return [await this.images.ofBytes(oneLine(name), Buffer.from(data, 'base64'))];
			}),
		'preview-request': ({ file, turn }) => this.preview(file, turn),
		'chip-remove': ({ chip }) => this.chips.remove(chip),
		'chip-open': async ({ chip }) => {
			const found = this.chips.chips.find(({ id }) => id === chip);
			if (found) {
				await openPlace(found.attachment);
			}
		},
		'completion-request': ({ query }) => this.offer(query),
		'completion-take': ({ item }) => this.addFrom(async () => (await this.offered.get(item)?.()) ?? []),
		'paste-look': async ({ text }) => {
			const pasted: NonNullable<typeof this.pasted> = { paste: randomUUID(), sources: undefined };
			// Now: one that was pasted before, and takes longer to look at, must not come in its place.
			this.pasted = pasted;
			// Where nothing may be read, what was pasted stays the text that it is.
			pasted.sources = vscode.workspace.isTrusted ? await pastedContext(text) : undefined;
			return pasted.sources !== undefined && this.pasted === pasted ? pasted.paste : undefined;
		},
		'paste-take': async ({ paste }) => {
			if (this.pasted?.paste === paste) {
				const { sources } = this.pasted;
				this.pasted = undefined;
				await this.addFrom(async () => sources);
			}
		},
	};

	constructor(options: ChatContextOptions) {
		this.options = options;
		this.images = new ContextImages(options.pictures);
		this.chips = this.store.add(new ContextChips(options.state, options.mayKeep, options.logger));
		this.store.add(this.chips.onDidChange(() => this.show()));
	}

	dispose(): void {
		this.store.dispose();
	}

	/** Tells the page. Also to be called when the conversation or the model has become another. */
	show(): void {
		const { chips } = this.chips;
		const warning = chips.length === 0 ? undefined : warningText(chips, this.options.measure());
		this.options.post({
			kind: 'context-set',
			context: { chips: chips.map(toChipView), ...defined({ warning }) },
		});
	}

	private thenComposer(ask: () => Promise<unknown>): Promise<void> {
		return thenComposer(
			async () => void (await ask()),
			() => this.options.focusComposer(),
		);
	}

	pick(): Promise<ContextSource[] | undefined> {
		return pickContext(this.files, this.options.terminal());
	}

	/** Adds what is found, and resolves with whether some of it is a chip now. What stands in the way is said. */
	async addFrom(find: () => Promise<ContextSource[] | undefined>): Promise<boolean> {
		if (!mayRead()) {
			return false;
		}
		const adding = this.addNow(find);
		const settled = adding.catch(() => ({ ids: [], isMissing: true }));
		this.adding.add(settled);
		try {
			return (await adding).ids.length > 0;
		} finally {
			this.adding.delete(settled);
		}
	}

	private async addNow(find: () => Promise<ContextSource[] | undefined>): Promise<Added> {
		const problems = new Set<string>();
		const problem = (error: unknown) => {
			this.options.logger.log('warn', 'Context cannot be found', { reason: describeError(error) });
			problems.add(
				error instanceof UserFacingError
					? error.message
					: vscode.l10n.t('This cannot be read into the chat. The log says why.'),
			);
			return undefined;
		};
		let found: ContextSource[] | undefined;
		try {
			found = await find();
		} catch (error) {
			problem(error);
		}
		const read = await Promise.all((found ?? []).map(source => this.withImage(source).catch(problem)));
		for (const text of problems) {
			void showMessage('warning', text);
		}
		const sources = read.filter(source => source !== undefined);
		const ids = await this.chips.add(sources);
		return { ids, isMissing: problems.size > 0 || ids.length < sources.length };
	}

	/** A file that is an image is one. */
	private async withImage(source: ContextSource): Promise<ContextSource> {
		const place = source.kind === 'file' ? vscode.Uri.parse(source.uri) : undefined;
		if (!place || !isImagePath(place.path)) {
			return source;
		}
		this.refuseEncryptedImage();
		return this.images.ofFile(place);
	}

	private refuseEncryptedImage(): void {
		if (this.options.isEncrypted()) {
			throw new UserFacingError(encryptedImageText());
		}
	}

	private async preview(file: string, turn: string | undefined): Promise<string | undefined> {
		const conversation = turn === undefined ? undefined : await this.options.conversationOf(turn);
		const attached =
			turn === undefined
				? this.chips.chips.map(({ attachment }) => attachment)
				: ((conversation && findTurn(conversation, turn)?.attachments) ?? []);
		const image = attached.find(attachment => attachment.image?.file === file)?.image;
		return image && this.images.address(image, conversation?.id);
	}

	/** Why the images among the chips cannot go to the conversation. */
	private async imageRefusal(chat: Chat): Promise<Explanation | undefined> {
		if (this.chips.chips.every(({ attachment }) => attachment.image === undefined)) {
			return undefined;
		}
		if (chat.conversation.encryption) {
			return { message: encryptedImageText() };
		}
		if (chat.mode !== 'chat' || this.options.measure().takesImages !== false) {
			return undefined;
		}
		// What is known may be of a time when the model's server had not told yet, or had not had the model.
		await this.options.measureAgain();
		const { takesImages, model } = this.options.measure();
		return takesImages === false ? { message: noImagesText(model), action: chooseModelButton() } : undefined;
	}

	/**
	 * What goes with a question, read now; or why the question does not go. `onAsk` is called before the user is asked
	 * for something.
	 */
	private async collect(
		chat: Chat,
		question: string,
		onAsk: () => void,
	): Promise<{ chips: readonly Chip[]; attachments: Attachment[] } | { refusal: Explanation }> {
		// What is chosen from here on is for the next message, which may go elsewhere.
		const own = new Set(this.chips.chips.map(({ id }) => id));
		const adding = [...this.adding];
		await this.options.measurable();
		const refusal =
			(await this.awaitAdded(adding, own, onAsk)) ??
			(await this.imageRefusal(chat)) ??
			(await this.chips.refresh(onAsk)) ??
			(await this.fit(question, onAsk));
		const chips = this.chips.chips.filter(({ id }) => own.has(id));
		return refusal === undefined ? { chips, attachments: chips.map(({ attachment }) => attachment) } : { refusal };
	}

	/**
	 * What was chosen before the message was sent goes with it, also where it takes long to read. Gives `own` the ids of its
	 * chips.
	 */
	private async awaitAdded(
		adding: readonly Promise<Added>[],
		own: Set<string>,
		onAsk: () => void,
	): Promise<Explanation | undefined> {
		if (adding.length === 0) {
			return undefined;
		}
		// It may ask the user.
		onAsk();
		const waited = Promise.withResolvers<undefined>();
		const cancel = this.options.clock.after(ADDING_MS, () => waited.resolve(undefined));
		const added = await Promise.race([Promise.all(adding), waited.promise]);
		cancel();
		if (added === undefined) {
			for (const late of adding) {
				this.adding.delete(late);
			}
			return {
				message: vscode.l10n.t(
					'Not sent: some of what was to go with it is still being read. Send it again to go with what is there.',
				),
			};
		}
		for (const id of added.flatMap(({ ids }) => ids)) {
			own.add(id);
		}
		return added.some(({ isMissing }) => isMissing)
			? {
					message: vscode.l10n.t(
						'Not sent: some of what was to go with it was not added. Send it again to go without.',
					),
				}
			: undefined;
	}

	private fit(question: string, onAsk: () => void): Promise<Explanation | undefined> {
		const measure = this.options.measure();
		return fitContext(this.chips, { ...measure, request: measure.request + estimateTokens(question) }, onAsk);
	}

	/** Asks with the chips, and lets go of them once the message has them. Resolves with why it was not taken. */
	async send(chat: Chat, turn: string, question: string): Promise<SendRefusal | undefined> {
		// A message that comes again was taken with its context; what waits now is for the next one.
		if (findTurn(chat.conversation, turn)) {
			return chat.send(turn, question);
		}
		const collected = await this.collect(chat, question, () => this.options.post({ kind: 'message-hold', turn }));
		if ('refusal' in collected) {
			return { reason: 'context', explanation: collected.refusal };
		}
		const { attachments } = collected;
		const refusal = await this.images.handOver(attachments, chat.conversation.id, () =>
			chat.send(turn, question, attachments),
		);
		if (refusal === undefined) {
			for (const { id } of collected.chips) {
				this.chips.remove(id);
			}
		}
		return refusal;
	}

	private async offer(query: string): Promise<CompletionItem[]> {
		const words = query.toLowerCase();
		const choices = contextChoices(this.options.terminal()).filter(
			({ label, word }) => label.toLowerCase().includes(words) || word.split(' ').some(part => part.startsWith(words)),
		);
		const files = await this.files.find(query, OFFERED_FILES);
		const items: CompletionItem[] = [];
		const offer = (item: Omit<CompletionItem, 'id'>, sources: () => Promise<ContextSource[]>) => {
			const id = randomUUID();
			this.offered.set(id, sources);
			items.push({ id, ...item });
		};
		for (const { kind, label, description, sources } of choices) {
			offer({ kind, label, ...defined({ description }) }, sources);
		}
		for (const { path, uri } of files) {
			const end = path.lastIndexOf('/');
			offer(
				{ kind: 'file', label: path.slice(end + 1), ...(end < 0 ? {} : { description: path.slice(0, end) }) },
				async () => [{ kind: 'file', uri: uri.toString() }],
			);
		}
		for (const id of this.offered.keys()) {
			if (this.offered.size <= MAXIMUM_OFFERED) {
				break;
			}
			this.offered.delete(id);
		}
		return items;
	}
}

function encryptedImageText(): string {
	return vscode.l10n.t('Images have no encrypted way. Remove them, or add them to another conversation.');
}

async function droppedSources(addresses: readonly string[]): Promise<ContextSource[]> {
	const places = addresses.slice(0, MAXIMUM_DROPPED).map(hostUri);
	const found = await Promise.all(places.map(async place => ({ place, source: await fileSource(place) })));
	if (found.every(({ source }) => source === undefined)) {
		throw new UserFacingError(
			vscode.l10n.t('What was dropped is no file that this window can read. Open it here, or paste its text.'),
		);
	}
	return found.map(({ place, source }) => source ?? unreadSource(place));
}
