/**
 * Atomic objects: an object of any Java class, under a name, shared by every process that opens it.
 * The methods of the object take effect one at a time, in one order for all processes. The state is
 * stored in a cache and outlives every process that had the object open. The design is that of
 * D2.6, "Factory of atomic objects", and its appendix A, "Universal construction on a listenable
 * KVS", Algorithm 2. It is made safe for lost, repeated and reordered events.
 */
@NullMarked
package io.ensemble.objects;

import org.jspecify.annotations.NullMarked;
