import { UNFOLDED } from './unfolding.ts';

/** Closer to the end than this counts as at the end: fractions of pixels add up at some zoom levels. */
const TOLERANCE = 4;

/** Keeps a scrolling element at its end while the reader is there, and leaves its position alone otherwise. */
export class FollowEnd {
	private readonly scroller: HTMLElement;
	private readonly onChange: (following: boolean) => void;
	private following = true;
	/** The sizes at the last scroll to the end, in pixels. */
	private keptHeight = 0;
	private keptClientHeight = 0;

	/** `content` is the element that grows inside `scroller`. */
	constructor(scroller: HTMLElement, content: HTMLElement, onChange: (following: boolean) => void) {
		this.scroller = scroller;
		this.onChange = onChange;
		const observer = new ResizeObserver(() => this.keep());
		observer.observe(content);
		observer.observe(scroller);
		scroller.addEventListener('scroll', () => this.onScroll(), { passive: true });
		scroller.addEventListener(UNFOLDED, () => this.leave());
	}

	toEnd(): void {
		this.setFollowing(true);
		this.keep();
	}

	/** Stops following, because the reader is being moved to another position. */
	leave(): void {
		this.setFollowing(false);
	}

	private onScroll(): void {
		const { scrollTop, scrollHeight, clientHeight } = this.scroller;
		if (scrollHeight - clientHeight - scrollTop <= TOLERANCE) {
			this.setFollowing(true);
		} else if (this.following) {
			// Content that changes its size moves the end, and sometimes the position, without any scrolling by the reader.
			if (scrollHeight !== this.keptHeight || clientHeight !== this.keptClientHeight) {
				this.keep();
			} else {
				this.setFollowing(false);
			}
		}
	}

	private keep(): void {
		const { scroller } = this;
		if (scroller.scrollHeight <= scroller.clientHeight) {
			// There is nothing to scroll any more, so no scroll event will follow.
			this.setFollowing(true);
		}
		if (this.following) {
			scroller.scrollTop = scroller.scrollHeight;
			this.keptHeight = scroller.scrollHeight;
			this.keptClientHeight = scroller.clientHeight;
		}
	}

	private setFollowing(following: boolean): void {
		if (following !== this.following) {
			this.following = following;
			this.onChange(following);
		}
	}
}
