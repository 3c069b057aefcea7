import * as vscode from 'vscode';
import { append } from '../base/append.ts';
import { UserFacingError } from '../base/errors.ts';
import { fileProblemText } from './messages.ts';
import { readDecisionFile } from './model/decisionFile.ts';
import type { StatePart } from './model/sending.ts';
import { SourceReader } from './sourceReader.ts';
import { partOf, type Subject, type SubjectMaterial, singleRequest } from './subject.ts';

/** A decision file as the editor shows it, including unsaved changes. */
export function fileSubject(uri: vscode.Uri, material: SubjectMaterial): Subject {
	return {
		key: uri.toString(),
		title: uri.path.slice(uri.path.lastIndexOf('/') + 1),
		async prepare(signal) {
			const document = await vscode.workspace.openTextDocument(uri);
			const read = readDecisionFile(document.getText());
			if ('problem' in read) {
				throw new UserFacingError(fileProblemText(read.problem));
			}
			const { file } = read;
			const target = await material.active();
			const { state, sources = {}, model, questions } = file;
			const reader = new SourceReader(uri, material, signal);
			const parts: StatePart[] = [];
			const warnings: string[] = [];
			if (state !== undefined) {
				const written = await material.readContext({
					kind: 'text',
					label: vscode.l10n.t('written in the file'),
					text: JSON.stringify(state, undefined, 2),
				});
				parts.push({ name: 'state', label: written.label, characters: written.text.length });
				append(warnings, written.warnings);
			}
			const texts: Record<string, string> = {};
			for (const [name, source] of Object.entries(sources)) {
				const read = await reader.read(source);
				if (!read || signal.aborted) {
					return undefined;
				}
				texts[name] = read.text;
				parts.push(partOf(name, read.label, read.text));
				append(
					warnings,
					read.warnings.map(warning => `${read.label}: ${warning}`),
				);
			}
			return {
				target,
				...singleRequest({ state: { ...state, ...texts }, questions }),
				...{ model, parts, warnings },
			};
		},
	};
}
