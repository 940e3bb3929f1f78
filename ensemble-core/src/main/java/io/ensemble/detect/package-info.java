/**
 * Whether a site seems to be available, judged by how long it leaves requests without a response,
 * compared with its usual delay. One number says how unusual its present silence is; a site that is
 * suspected for long counts as down. The result decides about repair and display, never about
 * requests. Pure: the caller passes in all times.
 */
@NullMarked
package io.ensemble.detect;

import org.jspecify.annotations.NullMarked;
