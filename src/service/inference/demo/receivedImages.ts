import { readImageHeader } from '../../../base/imageHeader.ts';
import type { ProviderRequest } from '../provider.ts';

/** The maximum number of images to describe; the others are only counted. */
const DESCRIBED = 10;

/**
 * Describes the images of the user's last message in Markdown. The demo cannot see, so it reports only what their
 * headers say. The text is empty if there are no images.
 */
export function receivedImages({ messages }: Pick<ProviderRequest, 'messages'>): string {
	const content = messages.findLast(({ role }) => role === 'user')?.content ?? '';
	const urls =
		typeof content === 'string' ? [] : content.flatMap(part => (part.type === 'image_url' ? part.image_url.url : []));
	if (urls.length === 0) {
		return '';
	}
	const lines = urls.slice(0, DESCRIBED).map(url => `  - ${description(url)}\n`);
	const more = urls.length > DESCRIBED ? `  - and ${urls.length - DESCRIBED} more\n` : '';
	const noun = urls.length === 1 ? 'image, of which' : 'images, of which';
	return `- **${urls.length}** ${noun} the demo reads the header alone:\n${lines.join('')}${more}`;
}

function description(url: string): string {
	const comma = url.indexOf(',');
	const head = url.slice(0, Math.max(0, comma));
	if (!/^data:/i.test(head) || !/;base64$/i.test(head)) {
		return 'one at an address, from which the demo loads nothing';
	}
	const bytes = Buffer.from(url.slice(comma + 1), 'base64');
	const size = bytes.length === 1 ? '1 byte' : `${bytes.length.toLocaleString('en-US')} bytes`;
	const header = readImageHeader(bytes);
	if (header !== undefined) {
		return `\`${header.type}\`, ${header.width} × ${header.height} pixels, ${size}`;
	}
	// The media type is shown in backticks, which this pattern does not let it contain.
	const [, told] = /^data:([\w.+-]{1,40}\/[\w.+-]{1,40});/i.exec(head) ?? [];
	return `${size} ${told === undefined ? 'of a type that is not told' : `sent as \`${told}\``}, without a size in pixels that the demo could read`;
}
