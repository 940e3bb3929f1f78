/** The layout of an entry at a site: one byte format for every mode. */
@NullMarked
package io.ensemble.envelope;

import org.jspecify.annotations.NullMarked;
