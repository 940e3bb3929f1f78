/** Trials of atomic objects: the settings, the stores of the objects, and the client processes. */
@NullMarked
package io.ensemble.check.objects;

import org.jspecify.annotations.NullMarked;
