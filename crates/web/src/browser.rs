//! Functions that a page and a worker share, and waiting for several things at once.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use js_sys::futures::JsFuture;
use js_sys::{Promise, Reflect, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{CacheStorage, RequestInit, Response, Url, Window, WorkerGlobalScope};

/// Returns the page's window; `None` in a worker.
pub fn window() -> Option<Window> {
    js_sys::global().dyn_into().ok()
}

/// Returns the worker's scope; `None` in a page.
pub fn worker_scope<T: wasm_bindgen::JsCast>() -> Option<T> {
    let global = js_sys::global();
    global.is_instance_of::<WorkerGlobalScope>().then(|| global.unchecked_into())
}

/// Fetches a file.
pub async fn fetch(url: &str, init: &RequestInit) -> Result<Response, JsValue> {
    let promise = match window() {
        Some(window) => window.fetch_with_str_and_init(url, init),
        None => worker_scope::<WorkerGlobalScope>()
            .ok_or_else(|| JsValue::from_str("there is neither a window nor a worker"))?
            .fetch_with_str_and_init(url, init),
    };
    JsFuture::from(promise).await?.dyn_into()
}

/// Returns the body of a response.
pub async fn body(response: &Response) -> Result<Uint8Array, JsValue> {
    let buffer = JsFuture::from(response.array_buffer()?).await?;
    Ok(Uint8Array::new(&buffer))
}

/// Returns the browser's caches; `None` where storage is blocked.
pub fn caches() -> Option<CacheStorage> {
    match window() {
        // Reading it throws in a sandboxed frame; over plain HTTP it is not there.
        Some(window) => window.caches().ok().filter(|caches| !caches.is_undefined()),
        None => worker_scope::<WorkerGlobalScope>()?
            .caches()
            .ok()
            .filter(|caches| !caches.is_undefined()),
    }
}

/// Returns the absolute address of `url`, which may be relative to the page.
pub fn absolute(url: &str) -> Option<Url> {
    let document = Reflect::get(&js_sys::global(), &"document".into()).ok();
    let base = document
        .filter(|document| !document.is_undefined())
        .and_then(|document| Reflect::get(&document, &"baseURI".into()).ok())
        .and_then(|base| base.as_string());
    match base {
        Some(base) => Url::new_with_base(url, &base).ok(),
        None => Url::new(url).ok(),
    }
}

/// Returns the text of a thrown value.
pub fn reason(thrown: &JsValue) -> String {
    Reflect::get(thrown, &"message".into())
        .ok()
        .and_then(|message| message.as_string())
        .or_else(|| thrown.as_string())
        .unwrap_or_else(|| "the browser gives no reason".into())
}

/// Resolves after the tasks that are due now.
pub async fn pause(milliseconds: i32) {
    let promise = Promise::new(&mut |resolve: js_sys::Function, _| {
        if let Some(window) = window() {
            let _ = window
                .set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, milliseconds);
        } else if let Some(scope) = worker_scope::<WorkerGlobalScope>() {
            let _ =
                scope.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, milliseconds);
        }
    });
    let _ = JsFuture::from(promise).await;
}

/// A future on the heap, without a result.
pub type Side<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// Returns the results of all futures, which run at the same time.
pub async fn join_all<F: Future>(futures: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    let mut futures: Vec<_> = futures.into_iter().map(|future| Some(Box::pin(future))).collect();
    let mut outputs: Vec<Option<F::Output>> = futures.iter().map(|_| None).collect();
    poll_fn(|context| {
        let mut is_waiting = false;
        for (future, output) in futures.iter_mut().zip(&mut outputs) {
            if let Some(running) = future {
                match running.as_mut().poll(context) {
                    Poll::Ready(value) => (*output, *future) = (Some(value), None),
                    Poll::Pending => is_waiting = true,
                }
            }
        }
        if is_waiting { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    outputs.into_iter().flatten().collect()
}

/// Waits for `main`. Meanwhile `side` goes on.
pub async fn with_side<T>(side: &mut Option<Side<'_>>, main: impl Future<Output = T>) -> T {
    let mut main = Box::pin(main);
    poll_fn(|context| {
        if side.as_mut().is_some_and(|side| side.as_mut().poll(context).is_ready()) {
            *side = None;
        }
        main.as_mut().poll(context)
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::task::{Context, Waker};

    use super::*;

    /// Returns pending so many times, and is ready then.
    async fn after(mut polls: u32) -> u32 {
        let value = polls;
        poll_fn(|_| {
            polls = polls.saturating_sub(1);
            if polls == 0 { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        value
    }

    fn polls_until_ready<T>(future: impl Future<Output = T>) -> (u32, T) {
        let mut future = Box::pin(future);
        let mut context = Context::from_waker(Waker::noop());
        for polls in 1.. {
            if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
                return (polls, value);
            }
        }
        unreachable!()
    }

    #[test]
    fn joined_futures_run_at_the_same_time_and_keep_their_order() {
        assert_eq!(polls_until_ready(join_all([after(3), after(1), after(2)])), (3, vec![3, 1, 2]));
        assert_eq!(polls_until_ready(join_all(Vec::<std::future::Ready<()>>::new())), (1, vec![]));
    }

    #[test]
    fn the_side_goes_on_while_the_main_one_waits_and_is_not_waited_for() {
        let reached = Cell::new(0);
        let mut side: Option<Side> = Some(Box::pin(async {
            after(2).await;
            reached.set(1);
            after(9).await;
            reached.set(2);
        }));
        assert_eq!(polls_until_ready(with_side(&mut side, after(4))), (4, 4));
        assert_eq!(reached.get(), 1);
        assert!(side.is_some());
    }
}
