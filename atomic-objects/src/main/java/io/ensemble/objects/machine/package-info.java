/**
 * What the construction asks of an object: its state from bytes, one call applied to it, its state
 * as bytes. One machine does that for any Java class: calls name a method of the object's face, and
 * arguments, results and what was thrown are copies.
 */
@NullMarked
package io.ensemble.objects.machine;

import org.jspecify.annotations.NullMarked;
