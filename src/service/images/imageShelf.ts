import { randomBytes } from 'node:crypto';

/** Below it lie the images, each under a name that cannot be guessed: whoever shows one has no token to send. */
export const IMAGES_PATH = '/errand/v1/images/';

const NAME_BYTES = 32;
const imagePath = new RegExp(`^${IMAGES_PATH}[\\w-]{43}$`);

/**
 * Whether a request's path is that of an image, there or not. A path that only begins like one is not: dots in it, as
 * they are or encoded, would make it another one once it is read as part of an address.
 */
export function isImagePath(path: string): boolean {
	return imagePath.test(path);
}

export interface StoredImage {
	bytes: Uint8Array<ArrayBuffer>;
	/** `image/png` and its like. */
	contentType: string;
}

export interface ImageShelfLimits {
	images: number;
	bytes: number;
}

/** The images that were generated here, in memory, for as long as the service runs. With too many the oldest leave. */
export class ImageShelf {
	private readonly images = new Map<string, StoredImage>();
	private readonly limits: ImageShelfLimits;
	private size = 0;

	constructor(limits: ImageShelfLimits = { images: 64, bytes: 64 * 1024 * 1024 }) {
		this.limits = limits;
	}

	/** The path under which the image can be read from now on. */
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
