/**
 * What the construction asks of an object: its state from bytes, one call applied to it, its state
 * as bytes.
 */
@NullMarked
package io.ensemble.objects.machine;

import org.jspecify.annotations.NullMarked;
