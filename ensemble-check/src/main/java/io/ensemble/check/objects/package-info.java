/** Trials of atomic objects: what is tried, where the objects are kept, and who uses them. */
@NullMarked
package io.ensemble.check.objects;

import org.jspecify.annotations.NullMarked;
