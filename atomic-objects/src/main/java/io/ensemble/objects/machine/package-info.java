/**
 * The state machine interface of the protocol: decode a state, apply one call to it, encode it. One
 * implementation serves every Java class: a call names a method of the object's proxy type;
 * arguments, results and exceptions are copies.
 */
@NullMarked
package io.ensemble.objects.machine;

import org.jspecify.annotations.NullMarked;
