import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import { type ImageRefusal, loadRemoteImage, MAXIMUM_IMAGE_BYTES } from '../images/remoteImage.ts';
import type { CodeAction, LoadedImage } from '../protocol/protocol.ts';
import { type CodeBlock, insertBlock, openAsNewFile, proposeBlock } from './codeBlocks.ts';
import { Proposals } from './proposals.ts';
import { findFiles, openFile } from './workspaceFiles.ts';

/** What can be done with the code, files and images of a reply. All their content is treated as hostile input. */
export class ReplyTools implements Disposable {
	private readonly proposals = new Proposals();
	private readonly imageOrigins: () => Promise<readonly string[]>;

	/**
	 * `imageOrigins` are the origins of the connection: only images from there may be on this machine or its network.
	 */
	constructor(imageOrigins: () => Promise<readonly string[]>) {
		this.imageOrigins = imageOrigins;
	}

	async useCode(action: CodeAction, block: CodeBlock, contextFiles: readonly vscode.Uri[]): Promise<void> {
		switch (action) {
			case 'insert':
				return insertBlock(block);
			case 'new-file':
				return openAsNewFile(block);
			case 'apply':
				return proposeBlock(block, contextFiles, this.proposals);
		}
	}

	findFiles(names: readonly string[]): Promise<string[]> {
		return findFiles(names);
	}

	openFile(name: string): Promise<void> {
		return openFile(name);
	}

	/** Resolves with the image as a `data:` URL, or with why it is not shown, as a sentence. */
	async loadImage(address: string): Promise<LoadedImage> {
		const image = await loadRemoteImage(address, { trustedOrigins: await this.imageOrigins().catch(() => []) });
		return image.kind === 'loaded' ? { dataUrl: image.dataUrl } : { problem: refusalText(image.reason) };
	}

	applyProposal(argument: unknown): Promise<void> {
		return this.proposals.apply(argument);
	}

	discardProposal(argument: unknown): Promise<void> {
		return this.proposals.discard(argument);
	}

	dispose(): void {
		this.proposals.dispose();
	}
}

function refusalText(reason: ImageRefusal): string {
	switch (reason) {
		case 'address':
			return vscode.l10n.t('The image has no address on the web.');
		case 'private':
			return vscode.l10n.t('The image lies on this machine or its network, where replies load nothing from.');
		case 'redirected':
			return vscode.l10n.t('The image’s address leads on to another server, which is not followed.');
		case 'unreachable':
			return vscode.l10n.t('The image could not be fetched.');
		case 'too-large':
			return vscode.l10n.t('The image is larger than {0} MB.', MAXIMUM_IMAGE_BYTES / 1_000_000);
		case 'type':
			return vscode.l10n.t('What is there is not a PNG, JPEG, GIF or WebP image.');
	}
}
