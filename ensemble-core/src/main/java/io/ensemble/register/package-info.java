/**
 * One linearizable key over sites that offer only a read and a compare-and-set: a state machine
 * with messages in and messages out, no thread, clock or site behind it. {@link
 * io.ensemble.register.RegisterOperation} tells the protocol.
 */
@NullMarked
package io.ensemble.register;

import org.jspecify.annotations.NullMarked;
