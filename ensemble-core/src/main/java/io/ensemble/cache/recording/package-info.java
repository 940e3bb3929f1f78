/** Reports the calls on a cache to the recorder of its manager. */
@NullMarked
package io.ensemble.cache.recording;

import org.jspecify.annotations.NullMarked;
