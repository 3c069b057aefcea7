import { writeFile } from 'node:fs/promises';
import type { BrowserContext } from 'playwright-core';

export interface ImageStep {
	caption: string;
	/** An image as PNG. */
	image: Buffer;
}

/** Writes one image of numbered steps, in two columns from left to right. */
export async function composeSteps(context: BrowserContext, steps: readonly ImageStep[], file: string): Promise<void> {
	const figures = steps.map(
		({ caption, image }, at) =>
			`<figure><figcaption><b>${at + 1}</b> ${caption}</figcaption><img src="data:image/png;base64,${image.toString('base64')}"></figure>`,
	);
	const page = await context.newPage();
	await page.setContent(`<!doctype html><style>
		body { margin: 0; padding: 24px; width: 1276px; background: #fff; color: #1f2328; font: 17px system-ui, sans-serif; }
		main { display: grid; grid-template-columns: 1fr 1fr; gap: 24px 36px; }
		figure { margin: 0; }
		figcaption { padding-bottom: 10px; }
		b { display: inline-block; width: 26px; line-height: 26px; border-radius: 13px; background: #0969da; color: #fff; text-align: center; margin-right: 6px; }
		img { display: block; width: 620px; border: 1px solid #d0d7de; border-radius: 6px; box-sizing: border-box; }
	</style><main>${figures.join('')}</main>`);
	await writeFile(file, await page.locator('body').screenshot());
	await page.close();
}
