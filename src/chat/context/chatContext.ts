// The context of a message. Whatever the user points at becomes a *source*, which names a location and is stored as a
// chip. A source is read when its chip is added, to show its size and to ask about secrets and ignored files, and again
// when the message is sent; the turn stores that content, so a retry sends the same. A page is fetched when it is
// added, after the user has agreed to its host; a redirect to another host asks again. An image is stored as soon as it
// is added, and a conversation's file has only its name.
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { type Clock, systemClock } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import { DisposableOwner } from '../../base/disposable.ts';
import { describeError, UserFacingError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { oneLine } from '../../base/plainText.ts';
import { thenComposer } from '../../platform/editorUse.ts';
import type { Tasks } from '../../tasks/api.ts';
import { isImagePath, MAXIMUM_DROPPED } from '../model/addedFiles.ts';
import type { ContextSource } from '../model/contextSource.ts';
import { type Conversation, findTurn } from '../model/conversation.ts';
import type { Measure } from '../model/measure.ts';
import type { ConversationChoice } from '../model/settings.ts';
import type { FromPage, PageAccess, PageHandlers } from '../protocol/protocol.ts';
import { toUseView } from '../protocol/toView.ts';
import type { ImageStore } from '../storage/imageStore.ts';
import { ContextChips, mayRead, toChipView } from './contextChips.ts';
import { type ContextChoice, contextChoices, instructionsChoice } from './contextChoices.ts';
import { ContextImages } from './contextImages.ts';
import { ContextInstructions } from './contextInstructions.ts';
import { ContextOffers } from './contextOffers.ts';
import { FileSearch } from './fileSearch.ts';
import { pickShortened, warningText } from './fitContext.ts';
import { openPlace } from './openPlace.ts';
import { fileSource, hostUri, pastedContext, unreadSource } from './pastedContext.ts';
import { pickContext } from './pickContext.ts';
import type { TerminalMemory } from './terminalMemory.ts';
import { WebPages } from './webPage.ts';

type ContextKind = Extract<
	FromPage['kind'],
	`context-${string}` | `chip-${string}` | `completion-${string}` | `paste-${string}` | 'preview-request'
>;

/** The limits of the chosen model, and how much of them the shown conversation uses already. */
export interface ModelRoom {
	/** Returns the measure as far as it is known now, without the question. */
	measure(): Measure;
	/** Resolves when `measure` returns all that can be known. */
	known(): Promise<void>;
	/** Asks the connection again; resolves when its answer is known, or cannot be. */
	askAgain(): Promise<void>;
}

/** The chat's conversations, as far as the context needs them. */
export interface ContextConversations {
	/** Resolves to the conversation that has a turn. */
	of(turn: string): Promise<Conversation | undefined>;
	/** Returns the shown conversation, if any. */
	shown(): Conversation | undefined;
	/** Changes the settings of the shown conversation. */
	choose(change: ConversationChoice): Promise<void>;
}

/** The sources of context besides files: tasks and terminals. */
export interface OtherSources {
	task: Tasks['readForChat'];
	/** The memory of the last command in a terminal, once a command has run. */
	terminal(): TerminalMemory | undefined;
}

export interface ChatContextOptions {
	storage: { state: vscode.Memento; images: ImageStore };
	conversations: ContextConversations;
	model: ModelRoom;
	page: Pick<PageAccess, 'post' | 'say' | 'focusComposer'>;
	sources: OtherSources;
	logger: Logger;
}

/** The result of adding context. */
export interface Added {
	/** The ids of the new chips. */
	ids: readonly string[];
	/** True if some of the sources did not become chips. */
	isMissing: boolean;
	/** The sentences that told the user why. */
	said: readonly string[];
}

/** The composer's context: its chips, and the sources that the page and the commands add to them. */
export class ChatContext extends DisposableOwner {
	private readonly options: ChatContextOptions;
	readonly chips: ContextChips;
	readonly images: ContextImages;
	readonly instructions: ContextInstructions;
	readonly model: ModelRoom;
	readonly clock: Clock;
	readonly files = new FileSearch();
	readonly offers: ContextOffers;
	/** Context that is being added, for which a message waits. These promises never reject. */
	readonly adding = new Set<Promise<Added>>();
	/** The last pasted text, with its sources once they are known. */
	private pasted: { paste: string; sources: ContextSource[] | undefined } | undefined;

	/** The handlers of the page's messages about the context. */
	readonly handlers: PageHandlers<ContextKind> = {
		'context-pick': () => thenComposer(() => this.addFrom(() => this.pick()), this.options.page),
		'context-shorten': () => thenComposer(() => pickShortened(this.chips, this.measure()), this.options.page),
		'context-drop': ({ uris }) => this.addFrom(() => droppedSources(uris)),
		'context-text': ({ name, text }) => this.addFrom(async () => [{ kind: 'text', label: oneLine(name), text }]),
		'context-image': ({ name, data }) =>
			this.addFrom(async () => {
				this.refuseEncryptedImage();
				return [await this.images.ofBytes(oneLine(name), Buffer.from(data, 'base64'))];
			}),
		'preview-request': ({ file, turn }) => this.preview(file, turn),
		'chip-remove': ({ chip }) =>
			chip === this.instructions.id
				? this.options.conversations.choose({ instructionFiles: false })
				: this.chips.remove(chip),
		'chip-open': async ({ chip }) => {
			const found = this.chips.chips.find(({ id }) => id === chip);
			if (chip === this.instructions.id) {
				await this.instructions.open(this.options.page.say);
			} else if (found) {
				await openPlace(found.attachment, this.options.page.say);
			}
		},
		'completion-request': ({ query }) => this.offers.find(query),
		'completion-take': ({ item }) => this.addFrom(() => this.offers.take(item)),
		'paste-check': async ({ text }) => {
			const pasted: NonNullable<typeof this.pasted> = { paste: randomUUID(), sources: undefined };
			// This is set at once: an earlier paste that takes longer to check must not replace a later one.
			this.pasted = pasted;
			// In an untrusted workspace, pasted text stays text.
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

	constructor(options: ChatContextOptions, clock: Clock = systemClock) {
		super();
		this.options = options;
		this.clock = clock;
		const { storage, conversations, model, logger } = options;
		this.model = model;
		this.images = new ContextImages(storage.images);
		this.offers = new ContextOffers({
			files: this.files,
			pages: new WebPages(() => this.isEncrypted),
			choices: () => this.choices(),
		});
		this.chips = this.disposables.add(
			new ContextChips(storage.state, () => !conversations.shown()?.encryption?.isUnkept, logger),
		);
		this.instructions = this.disposables.add(new ContextInstructions(() => this.places));
		this.disposables.add(this.instructions.onDidChange(() => this.show()));
		this.disposables.add(
			this.chips.onDidChange(() => {
				this.show();
				void this.instructions.refresh();
			}),
		);
	}

	/**
	 * Sends the chips and the size of the next message to the page. Also called when another conversation, mode or model
	 * is shown, and when a reply has ended.
	 */
	show(): void {
		const { chips } = this.chips;
		const measure = this.measure();
		const conversation = this.options.conversations.shown();
		const instructions = this.instructions.chip(conversation);
		const attachments = chips.map(({ attachment }) => attachment);
		this.options.page.post({
			kind: 'context-set',
			context: {
				chips: [...(instructions ? [instructions] : []), ...chips.map(toChipView)],
				...defined({
					use: conversation && toUseView(conversation, attachments, measure),
					warning: chips.length === 0 ? undefined : warningText(chips, measure),
				}),
			},
		});
	}

	/** Measures the next message, with its instructions and without the question. */
	measure(): Measure {
		const measure = this.model.measure();
		if (measure.agent) {
			// An agent may read the files itself, and its own context already includes them.
			return measure;
		}
		const files = this.instructions.tokens(this.options.conversations.shown());
		return { ...measure, instructions: measure.instructions + files };
	}

	/** The files that the next message is about: the one in the editor and those among the chips. */
	private get places(): vscode.Uri[] {
		const chips = this.chips.chips.flatMap(({ attachment: { kind, uri } }) =>
			uri === undefined || kind === 'web' ? [] : [vscode.Uri.parse(kind === 'folder' ? `${uri}/` : uri)],
		);
		const editor = vscode.window.activeTextEditor;
		return editor ? [editor.document.uri, ...chips] : chips;
	}

	private get isEncrypted(): boolean {
		return this.options.conversations.shown()?.encryption !== undefined;
	}

	pick(): Promise<ContextSource[] | undefined> {
		return pickContext(this.files, this.choices());
	}

	/** Resolves to the log or the changes of a task, as the user chooses. */
	async ofTask(argument?: unknown): Promise<ContextSource[] | undefined> {
		const found = await this.options.sources.task(argument);
		return found && [{ kind: 'task', ...found }];
	}

	private choices(): ContextChoice[] {
		const { conversations, sources } = this.options;
		const choices = contextChoices(sources.terminal(), async () => (await this.ofTask()) ?? []);
		return this.instructions.isLeftOut(conversations.shown())
			? [...choices, instructionsChoice(() => conversations.choose({ instructionFiles: undefined }))]
			: choices;
	}

	/**
	 * Adds the sources that are found. Resolves to whether one of them is now a chip, or there was none to add; to false
	 * if the user cancels. The user is told which could not be added.
	 */
	async addFrom(find: () => Promise<ContextSource[] | undefined>): Promise<boolean> {
		if (!mayRead()) {
			return false;
		}
		let isNone = false;
		const adding = this.addNow(async () => {
			const found = await find();
			isNone = found?.length === 0;
			return found;
		});
		const settled = adding.catch(() => ({ ids: [], isMissing: true, said: [] }));
		this.adding.add(settled);
		try {
			return (await adding).ids.length > 0 || isNone;
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
					: vscode.l10n.t('Couldn’t read this into the chat. See the log for details.'),
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
		const sources = read.filter(source => source !== undefined);
		const added = await this.chips.add(sources);
		const said = [...problems, ...added.problems];
		if (said.length > 0) {
			this.options.page.say(said.join(' '));
		}
		return { ids: added.ids, isMissing: problems.size > 0 || added.ids.length < sources.length, said };
	}

	/** Turns the source of an image file into the source of an image. */
	private async withImage(source: ContextSource): Promise<ContextSource> {
		const place = source.kind === 'file' ? vscode.Uri.parse(source.uri) : undefined;
		if (!place || !isImagePath(place.path)) {
			return source;
		}
		this.refuseEncryptedImage();
		return this.images.ofFile(place);
	}

	private refuseEncryptedImage(): void {
		if (this.isEncrypted) {
			throw new UserFacingError(encryptedImageText());
		}
	}

	private async preview(file: string, turn: string | undefined): Promise<string | undefined> {
		const conversation = turn === undefined ? undefined : await this.options.conversations.of(turn);
		const attached =
			turn === undefined
				? this.chips.chips.map(({ attachment }) => attachment)
				: ((conversation && findTurn(conversation, turn)?.attachments) ?? []);
		const image = attached.find(attachment => attachment.image?.file === file)?.image;
		return image && this.images.address(image, conversation?.id);
	}
}

export function encryptedImageText(): string {
	return vscode.l10n.t(
		'Images aren’t available in an encrypted conversation. Remove them, or add them to a different one.',
	);
}

async function droppedSources(addresses: readonly string[]): Promise<ContextSource[]> {
	const places = addresses.slice(0, MAXIMUM_DROPPED).map(hostUri);
	const found = await Promise.all(places.map(async place => ({ place, source: await fileSource(place) })));
	if (found.every(({ source }) => source === undefined)) {
		throw new UserFacingError(
			vscode.l10n.t('This window can’t read what was dropped. Open the file here, or paste its text.'),
		);
	}
	return found.map(({ place, source }) => source ?? unreadSource(place));
}
