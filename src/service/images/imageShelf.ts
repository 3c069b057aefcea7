import { randomBytes } from 'node:crypto';

/**
 * The path prefix of images. Each has a name that cannot be guessed, as clients that display one have no token to send.
 */
export const IMAGES_PATH = '/errand/v1/images/';

const NAME_BYTES = 32;
const imagePath = new RegExp(`^${IMAGES_PATH}[\\w-]{43}$`);

/**
 * Returns whether a path has the form of an image's path; the image need not exist. The whole path must match: dots in
 * it, plain or encoded, would change it when it is resolved as part of a URL.
 */
export function isImagePath(path: string): boolean {
	return imagePath.test(path);
}

export interface StoredImage {
	bytes: Uint8Array<ArrayBuffer>;
	/** A media type such as `image/png`. */
	contentType: string;
}

export interface ImageShelfLimits {
	images: number;
	bytes: number;
}

/** Keeps the generated images in memory while the service runs. If there are too many, the oldest are removed. */
export class ImageShelf {
	private readonly images = new Map<string, StoredImage>();
	private readonly limits: ImageShelfLimits;
	private size = 0;

	constructor(limits: ImageShelfLimits = { images: 64, bytes: 64 * 1024 * 1024 }) {
		this.limits = limits;
	}

	put(image: StoredImage): string {
		const name = randomBytes(NAME_BYTES).toString('base64url');
		this.images.set(name, image);
		this.size += image.bytes.length;
		for (const [oldest, { bytes }] of this.images) {
			if (this.images.size <= this.limits.images && this.size <= this.limits.bytes) {
				break;
			}
			this.images.delete(oldest);
			this.size -= bytes.length;
		}
		return IMAGES_PATH + name;
	}

	get(name: string): StoredImage | undefined {
		return this.images.get(name);
	}
}
