import * as vscode from 'vscode';

/** What replies call a language, where the editor has another name for it. */
const EDITOR_NAMES: Record<string, string> = {
	bash: 'shellscript',
	'c#': 'csharp',
	'c++': 'cpp',
	cs: 'csharp',
	docker: 'dockerfile',
	golang: 'go',
	htm: 'html',
	js: 'javascript',
	jsx: 'javascriptreact',
	kt: 'kotlin',
	md: 'markdown',
	mjs: 'javascript',
	ps1: 'powershell',
	py: 'python',
	rb: 'ruby',
	rs: 'rust',
	sh: 'shellscript',
	shell: 'shellscript',
	ts: 'typescript',
	tsx: 'typescriptreact',
	yml: 'yaml',
	zsh: 'shellscript',
};

/** The editor's language of that name, or undefined where it has none. */
export async function editorLanguage(name: string): Promise<string | undefined> {
	const lower = name.toLowerCase();
	const wanted = Object.hasOwn(EDITOR_NAMES, lower) ? (EDITOR_NAMES[lower] as string) : lower;
	return (await vscode.languages.getLanguages()).find(language => language === wanted);
}
