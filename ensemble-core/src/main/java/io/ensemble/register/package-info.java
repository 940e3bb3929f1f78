/**
 * One linearizable key over sites that offer only a read and a compare-and-set: a state machine
 * with messages in and messages out, without a thread, clock or site. {@link
 * io.ensemble.register.RegisterOperation} explains the protocol.
 */
@NullMarked
package io.ensemble.register;

import org.jspecify.annotations.NullMarked;
