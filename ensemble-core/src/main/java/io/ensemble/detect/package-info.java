/**
 * Whether a site seems to be there, judged by how long it leaves requests without an answer,
 * against how long it usually does. One number says how unusual its present silence is; a site that
 * is suspected for long counts as down. Decides about repair and about what is shown, never about
 * what is sent. Pure: times are handed in.
 */
@NullMarked
package io.ensemble.detect;

import org.jspecify.annotations.NullMarked;
