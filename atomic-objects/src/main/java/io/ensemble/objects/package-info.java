/**
 * Atomic objects: an object of any Java class, under a name, shared by every process that opens it.
 * Its methods take effect one at a time, in one order, for everyone; its state lives in a cache and
 * survives the death of every process that had it open (D2.6, "Factory of atomic objects", and its
 * appendix A, "Universal construction on a listenable KVS", Algorithm 2, made safe for lost,
 * repeated and reordered events).
 */
@NullMarked
package io.ensemble.objects;

import org.jspecify.annotations.NullMarked;
