/**
 * Shared values, latches and barriers are sequential state machines. Elements of application
 * classes are stored in them as encoded bytes.
 */
@NullMarked
package io.ensemble.objects.sync.state;

import org.jspecify.annotations.NullMarked;
