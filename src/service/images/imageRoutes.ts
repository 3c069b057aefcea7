import { RequestRefused } from '../replies.ts';
import type { App } from '../server.ts';
import { IMAGES_PATH, type ImageShelf } from './imageShelf.ts';

/** Serves the images in memory to every client that knows their names; the guard requires no token here. */
export function registerImageRoutes(app: App, shelf: ImageShelf): void {
	app.get(`${IMAGES_PATH}:name`, context => {
		const image = shelf.get(context.req.param('name'));
		if (image === undefined) {
			throw new RequestRefused(404, 'There is no such image, or it is no longer kept.');
		}
		return new Response(image.bytes, {
			headers: {
				'content-type': image.contentType,
				'content-length': String(image.bytes.length),
				'x-content-type-options': 'nosniff',
				// Pages that are isolated from other origins, as the editor's may be, do not show an image without this header.
				'cross-origin-resource-policy': 'cross-origin',
				'cache-control': 'private, max-age=3600, immutable',
			},
		});
	});
}
