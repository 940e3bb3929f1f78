/**
 * Performs the effects that a session requests: sends requests to the store without blocking, keeps
 * the time, and passes every input to the session one at a time.
 */
@NullMarked
package io.ensemble.objects.runtime;

import org.jspecify.annotations.NullMarked;
