import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import * as z from 'zod';
import { append } from '../../base/append.ts';
import { defined } from '../../base/defined.ts';
import { DisposableOwner } from '../../base/disposable.ts';
import { describeError, UserFacingError } from '../../base/errors.ts';
import { Emitter } from '../../base/event.ts';
import type { Immutable } from '../../base/immutable.ts';
import type { Logger } from '../../base/logger.ts';
import { showMessage } from '../../platform/notify.ts';
import { StateEntries } from '../../platform/sharedState.ts';
import { type Attachment, keptPart, shorten } from '../model/attachment.ts';
import { type ContextSource, contextSourceSchema, followEdit, sourceKey } from '../model/contextSource.ts';
import type { ChipView } from '../protocol/protocol.ts';
import { toAttachmentView } from '../protocol/toView.ts';
import { askFindings, findingKey } from './askFindings.ts';
import { type ReadContext, readSource, type SourceWarning } from './readSource.ts';

/** The key in the workspace's state. Each chip that has not been sent yet has its own entry. */
const ENTRIES = 'errand.context';

/** Longer texts, in UTF-16 code units, are not stored across a reload of the window. */
const MAXIMUM_KEPT_LENGTH = 100_000;

const keptSchema = z.object({
	id: z.string(),
	/** Milliseconds since the epoch. Each chip has a different number, which orders the chips. */
	addedAt: z.number(),
	source: contextSourceSchema,
	/** The number of UTF-16 code units of the text that the user allows. */
	limit: z.int().nonnegative().exactOptional(),
	/** The keys of the findings that the user has agreed to. */
	confirmed: z.array(z.string()),
});
type KeptChip = Immutable<z.output<typeof keptSchema>>;

/** One piece of context for the next message. */
export interface ContextChip extends KeptChip {
	/** The content as it was last read, without the part beyond the limit. */
	readonly attachment: Attachment;
	/** Set if the file's text has changed where the selection was. The message has the text as it was selected. */
	readonly isChanged?: true;
}

/** The context of the next message. It belongs to the composer, whichever conversation is shown. */
export class ContextChips extends DisposableOwner {
	private readonly entries: StateEntries<KeptChip>;
	/** The entries that this window has stored, as JSON, by chip id. */
	private readonly written = new Map<string, string>();
	private readonly mayKeep: () => boolean;
	private readonly logger: Logger;
	private readonly changed = this.disposables.add(new Emitter<void>());
	readonly onDidChange = this.changed.event;
	private list: readonly ContextChip[] = [];

	/** `mayKeep` returns whether the context of the next message may be written to disk. */
	constructor(state: vscode.Memento, mayKeep: () => boolean, logger: Logger) {
		super();
		this.entries = new StateEntries(state, ENTRIES, (value): value is KeptChip => keptSchema.safeParse(value).success);
		this.mayKeep = mayKeep;
		this.logger = logger;
		this.disposables.add(vscode.workspace.onDidChangeTextDocument(event => this.follow(event)));
		// Until a document is saved, positions refer to its text on disk, so the stored ones stay as they are.
		this.disposables.add(vscode.workspace.onDidSaveTextDocument(() => this.keep()));
		void this.restore();
	}

	get chips(): readonly ContextChip[] {
		return this.list;
	}

	/**
	 * Adds each source that can be read and that the user does not withhold. Resolves to the ids of the chips that the
	 * sources now have, and to sentences about those that were not added.
	 */
	async add(sources: readonly ContextSource[]): Promise<{ ids: string[]; problems: string[] }> {
		const problems: string[] = [];
		if (!mayRead()) {
			return { ids: [], problems };
		}
		for (const source of sources) {
			if (this.idOf(source) === undefined) {
				append(problems, await this.addOne(source));
			}
		}
		return { ids: sources.map(source => this.idOf(source)).filter(id => id !== undefined), problems };
	}

	remove(id: string): void {
		this.set(this.list.filter(chip => chip.id !== id));
	}

	/** Limits a chip's text to `limit` UTF-16 code units. */
	limit(id: string, limit: number): void {
		this.set(this.list.map(chip => (chip.id === id ? limited({ ...chip, limit }, chip.attachment) : chip)));
	}

	/** Replaces the content of a chip. `findings` are those that the user has just agreed to. */
	update(id: string, attachment: Attachment, findings: readonly SourceWarning[]): void {
		this.set(
			this.list.map(chip =>
				chip.id === id ? limited({ ...chip, confirmed: keysOf(chip.confirmed, findings) }, attachment) : chip,
			),
		);
	}

	private idOf(source: ContextSource): string | undefined {
		return this.list.find(chip => sourceKey(chip.source) === sourceKey(source))?.id;
	}

	/** Resolves to sentences that say why it was not added. */
	private async addOne(source: ContextSource): Promise<string[]> {
		let read: ReadContext;
		try {
			read = await readSource(source);
		} catch (error) {
			return [this.problemOf(error)];
		}
		const { attachment, findings, leftOut = 0 } = read;
		if (findings.length > 0 && !(await askFindings(attachment.label, findings, 'add'))) {
			return [];
		}
		const addedAt = Math.max(Date.now(), 1 + (this.list.at(-1)?.addedAt ?? 0));
		this.set([...this.list, { id: randomUUID(), addedAt, source, attachment, confirmed: keysOf([], findings) }]);
		return leftOut === 0
			? []
			: [
					vscode.l10n.t(
						'{0} of the files in {1} were left out because they aren’t text, usually contain secrets, link elsewhere, or exceed the limit.',
						leftOut,
						attachment.label,
					),
				];
	}

	/** Says in a sentence why a source cannot be read. */
	problemOf(error: unknown): string {
		if (error instanceof UserFacingError) {
			return error.message;
		}
		this.logger.log('warn', 'Context cannot be read', { reason: describeError(error) });
		return vscode.l10n.t('Couldn’t read this into the chat. See the log for details.');
	}

	/** Moves selections when text around them is edited, and marks those whose text has changed in the file. */
	private follow({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
		const uri = document.uri.toString();
		const before = this.list;
		this.list = before.map(chip => {
			const { source } = chip;
			if (source.kind !== 'selection' || source.uri !== uri) {
				return chip;
			}
			const range = contentChanges.reduce(followEdit, source.range);
			const { start, end } = range;
			const now = document.getText(new vscode.Range(start.line, start.character, end.line, end.character));
			// Text that was removed and put back is not followed.
			const isBack = chip.isChanged && document.getText().includes(chip.attachment.text);
			return marked({ ...chip, source: { ...source, range } }, isBack ? chip.attachment.text : now);
		});
		if (this.list.some((chip, index) => chip.isChanged !== before[index]?.isChanged)) {
			this.changed.fire();
		}
	}

	/**
	 * Compares a selection with the text that is now in its place in the file; undefined if there is none. Returns
	 * whether it differs from the text that was added.
	 */
	mark(id: string, text: string | undefined): boolean {
		this.set(this.list.map(chip => (chip.id === id ? marked(chip, text) : chip)));
		return this.list.some(chip => chip.id === id && chip.isChanged);
	}

	private set(list: readonly ContextChip[]): void {
		this.list = list;
		this.keep();
		this.changed.fire();
	}

	/** Stores only the changes of this window, because another window on the same folder has its own chips. */
	private keep(): void {
		const kept = (this.mayKeep() ? this.list : [])
			.filter(({ source }) => !('text' in source) || source.text.length <= MAXIMUM_KEPT_LENGTH)
			.map(({ attachment: _, isChanged: __, ...chip }) => chip);
		for (const chip of kept) {
			const text = JSON.stringify(chip);
			if (this.written.get(chip.id) !== text) {
				this.written.set(chip.id, text);
				this.entries.note(chip.id, chip);
			}
		}
		const ids = new Set(kept.map(({ id }) => id));
		for (const id of this.written.keys()) {
			if (!ids.has(id)) {
				this.written.delete(id);
				this.entries.note(id);
			}
		}
	}

	/** Restores the chips after a reload of the window. Sources that are gone are left out silently. */
	private async restore(): Promise<void> {
		const kept = this.entries.values().sort((one, other) => one.addedAt - other.addedAt);
		if (kept.length === 0 || !vscode.workspace.isTrusted) {
			return;
		}
		const chips: ContextChip[] = [];
		for (const chip of kept) {
			this.written.set(chip.id, JSON.stringify(chip));
			const read = await readSource(chip.source).catch(() => undefined);
			if (read) {
				chips.push(limited({ ...chip, attachment: read.attachment }, read.attachment));
			}
		}
		// Chips that were added in the meantime come last.
		this.set([...chips, ...this.list]);
	}
}

export function toChipView({ id, attachment, isChanged }: ContextChip): ChipView {
	return { id, ...toAttachmentView(attachment), ...defined({ isChanged: isChanged || undefined }) };
}

/** Marks a chip if the selection's text in the file has changed. */
function marked({ isChanged: _, ...chip }: ContextChip, text: string | undefined): ContextChip {
	const isSame = text !== undefined && shortened(text, chip) === chip.attachment.text;
	return isSame ? chip : { ...chip, isChanged: true };
}

/** Returns the part of a text that a chip would have. */
function shortened(text: string, { limit, attachment }: ContextChip): string {
	return limit === undefined ? text : shorten(text, limit, keptPart(attachment)).text;
}

function limited(chip: ContextChip, attachment: Attachment): ContextChip {
	if (chip.limit === undefined) {
		return { ...chip, attachment };
	}
	const { text, omitted } = shorten(attachment.text, chip.limit, keptPart(attachment));
	const before = attachment.omitted ?? 0;
	return {
		...chip,
		attachment: omitted + before === 0 ? attachment : { ...attachment, text, omitted: omitted + before },
	};
}

function keysOf(confirmed: readonly string[], findings: readonly SourceWarning[]): string[] {
	return [...new Set([...confirmed, ...findings.map(findingKey)])];
}

/** Returns whether files may be read into the context. If not, tells the user so and offers to change it. */
export function mayRead(): boolean {
	if (vscode.workspace.isTrusted) {
		return true;
	}
	const manage = vscode.l10n.t('Manage Workspace Trust');
	void showMessage(
		'warning',
		vscode.l10n.t(
			'Files and web pages can’t be added to the chat until you trust this workspace. You can still ask questions without context.',
		),
		manage,
	).then(chosen => chosen === manage && vscode.commands.executeCommand('workbench.trust.manage'));
	return false;
}
