/**
 * The protocol of a process for an object that it has open, its <b>session</b>: which calls to
 * propose, how to process the responses of the store, and which session to leave the work to. Pure:
 * requests out, responses in, the time passed in. The simulator and production run the same code.
 */
@NullMarked
package io.ensemble.objects.protocol;

import org.jspecify.annotations.NullMarked;
