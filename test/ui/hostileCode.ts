// Code that is made to be slow to highlight, or to give more spans than a page can lay out.
import { LANGUAGE_NAMES, type LanguageName } from '../../src/chat/ui/markdown/languageNames.ts';

/** What is repeated for each grammar: its own tokens, opened and never closed, or as dense as possible. */
const OWN_UNITS: Record<LanguageName, string[]> = {
	bash: ['${', '"', '$(', '`${', 'if ', '<<A\n', '$((', 'function a'],
	c: ['"', "b'", '#define a \\\n', 'int a(', 'if(', '/*', 'a b('],
	cpp: ['a(', 'R"a(', 'template<', '1.', '"', 'class A {', 'a<'],
	csharp: ['$"{', '"""', 'protocol ', 'a', 'public A b(', '$@"', "'"],
	css: ['*a', '@media ', 'url(', '[a=', '.a{', '/a', 'a:hover'],
	dart: ['@a', 'a(', '${', "r'", '@Override ', "'''", 'class '],
	diff: ['a\n-\n', '@@ -1', '+++ ', '---', '=====', 'Index: '],
	dockerfile: ['"', 'RUN a \\\n', 'FROM ', "'a'", 'CMD ['],
	go: ['`', '"', 'func a(', '1.', 'func ', 'a{'],
	graphql: ['{', '![', 'query a(', '"""', '[a]', '$a: '],
	ini: ['a=1\n', '[a]', 'a', '_', '-', '"""', '1e'],
	java: ['<a b=', 'a', '$', '_', '@a', '1.', '"""', 'public A b('],
	json: ['{', '[1,', ':', '"a":', 'true ', '[', '"'],
	javascript: ['`${', '(a)=>', '/a', '<a', 'function a(', '"', 'return /', 'a =>'],
	kotlin: ['"""${', '@a', 'fun a<', '/*', "'", '"${'],
	less: ['&', '@a: ', '.a()', '&-', '~"', 'url('],
	lua: ['[[', '--[=[', 'function ', '"', '1.', '[=['],
	makefile: ['$(', '$@"', 'define ', '.PHONY: ', '"', '\ta\n'],
	markdown: ['[a](', '![', '*_', '**_', '`', '<a', '[a]: ', '> ', '* a\n'],
	perl: ['$', 'q{', 's/', '<<A', '`', '=pod\n', 'class A {', 'm{'],
	php: ['fn(', '?>', "<<<'A'\n", '<?', 'A', 'function a(', '"{$'],
	powershell: ['$', '@', '$"', '@"\n', '<#', '$(', 'function A-'],
	python: ["f'{", '@a(', 'def a(', '"""', 'f"""{', 'if ', 'class A('],
	r: ['(', '![', '{', '%a', '`a', '<-'],
	ruby: ['#{', 'def a(', ':"', '<<~A\n', '%w[', 'do |', '`'],
	rust: ['/*', '->', 'fn a<', 'r#"', "'a,", '#[a(', 'a!('],
	scss: ['<a', '#{', '@include ', '$a', '&:', 'a('],
	shell: ['${', '$ a\n', '> a\n', '$@"', '#"'],
	sql: ['*', '</', '%', '/', "'", 'select '],
	swift: ['"\\(', '/*', '&A', '<T>', '*_', '#"', '@available('],
	typescript: ['`${', '(a)=>', 'a', '_', '<T>', 'a =>', '@a'],
	xml: ['<T>', '<a b=', '<![CDATA[', '</a>', '<!--', '<script>', '<a b="'],
	yaml: ['1. a\n', '- ', "'", '? ', '"a": ', '|\n', '>\n  ', '&a '],
};

/** The lengths of the texts, in UTF-16 code units. */
export const HOSTILE_SIZES = [12_000, 119_000] as const;

export function repeated(unit: string, size: number): string {
	return unit.repeat(Math.ceil(size / unit.length)).slice(0, size);
}

export interface HostileCode {
	language: LanguageName;
	unit: string;
	size: number;
}

/** Every grammar with each of its units at each size. */
export const HOSTILE_CODE: readonly HostileCode[] = LANGUAGE_NAMES.flatMap(language =>
	OWN_UNITS[language].flatMap(unit => HOSTILE_SIZES.map(size => ({ language, unit, size }))),
);

/** Returns the code as a fence in a reply. */
export function fence({ language, unit, size }: HostileCode): string {
	const marks = unit.includes('`') ? '~~~' : '```';
	return `${marks}${language}\n${repeated(unit, size)}\n${marks}\n`;
}
