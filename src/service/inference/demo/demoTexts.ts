// The fixed texts of the demo's scripts.

const LONG_PARAGRAPHS = 150;

export const MARKDOWN = `# Heading one

## Heading two

Text that is **bold**, *slanted*, ~~struck~~ and \`code\`, with a [link](https://example.com/ "a title").

| Left | Right |
| :--- | ---: |
| one | 1 |
| two | 22 |

1. first
2. second
   - nested

> A quotation.

![A remote image](https://example.com/image.png)

<script>document.body.textContent = 'This must never run.'</script>
<img src="https://example.com/pixel.png" onerror="document.body.textContent = 'nor this'">

\`\`\`html
<script>alert('only text')</script>
\`\`\`
`;

export const CODE = `TypeScript:

\`\`\`ts
export function greet(name: string): string {
	return \`Hello, \${name}\`;
}
\`\`\`

Python, with a line that is longer than a narrow view:

\`\`\`python
def greet(name: str, greeting: str = "Hello", punctuation: str = "!", repetitions: int = 1) -> str:
    return " ".join(f"{greeting}, {name}{punctuation}" for _ in range(repetitions))
\`\`\`

A change:

\`\`\`diff
-const greeting = 'Hi';
+const greeting = 'Hello';
\`\`\`
`;

export const TABLE = `| Number | Square | Cube |
| ---: | ---: | ---: |
${Array.from({ length: 12 }, (_, index) => `| ${index + 1} | ${(index + 1) ** 2} | ${(index + 1) ** 3} |`).join('\n')}
`;

export const LONG = `${Array.from(
	{ length: LONG_PARAGRAPHS },
	(_, index) =>
		`Paragraph ${index + 1} of ${LONG_PARAGRAPHS}. It says nothing, in enough words to fill more than one line of a narrow view, so that scrolling can be tried.`,
).join('\n\n')}\n`;

export const REASONING =
	'The user wants to see reasoning. I am a demo and do not reason, so these words were written beforehand. They come before the reply, as those of a model do.';

export const WORDS = 'amber birch cedar delta ember fjord grove heron inlet juniper kelp larch'.split(' ');
