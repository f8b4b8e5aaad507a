//! The engine in a worker: the program's own module, started a second time. The page calls it by
//! messages, each a list of a call's number, a word and a text.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::rc::Rc;
use std::task::Poll;

use findling_engine::{Request, Response};
use js_sys::futures::{JsFuture, spawn_local};
use js_sys::{Array, Function, JsString, Promise};
use serde::{Deserialize, Serialize};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{
    Blob, BlobPropertyBag, DedicatedWorkerGlobalScope, ErrorEvent, MessageEvent, Url, Worker,
    WorkerOptions, WorkerType,
};

use crate::Error;
use crate::browser;
use crate::bundle::Bundle;
use crate::info::Info;

/// The worker's script. Its first message has the address of the program's script and the compiled
/// module.
const BOOT: &str = "onmessage=async({data:[url,module]})=>{onmessage=null;try{\
    const program=await import(url);await program.default({module_or_path:module});\
    program.findlingServe()}catch(e){postMessage([0,'failed',String(e?.message??e)])}}";

/// The number of messages that belong to no call.
const NO_CALL: u32 = 0;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(thread_local_v2, js_namespace = ["import", "meta"], js_name = url)]
    static PROGRAM: JsValue;
}

/// Returns whether this is the program's copy in a worker. It must then do nothing in its `main`.
pub fn in_worker() -> bool {
    browser::worker_scope::<DedicatedWorkerGlobalScope>().is_some()
}

/// Options of opening a bundle, in a message to a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opening {
    pub url: String,
    pub streamed: bool,
    pub memory: Option<usize>,
    pub caches: bool,
}

/// Returns a message as it is posted.
fn message(call: u32, word: &str, text: &str) -> JsValue {
    Array::of3(&call.into(), &JsString::from(word), &JsString::from(text)).into()
}

/// Returns the parts of a message; `None` if it is another's.
fn read(event: &MessageEvent) -> Option<(u32, String, String)> {
    let parts: Array = event.data().dyn_into().ok()?;
    let call = parts.get(0).as_f64()? as u32;
    Some((call, parts.get(1).as_string()?, parts.get(2).as_string()?))
}

// ---- in the page

/// A worker that has started.
pub struct Remote {
    worker: Worker,
    calls: Rc<Calls>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

/// The calls under way.
#[derive(Default)]
struct Calls {
    under_way: RefCell<HashMap<u32, Call>>,
    last: Cell<u32>,
    broken: RefCell<Option<Error>>,
}

struct Call {
    outcome: Rc<RefCell<Option<Result<String, Error>>>>,
    /// Resolves the promise for which the caller waits.
    done: Function,
    on_words: Option<Rc<dyn Fn(Response)>>,
}

impl Calls {
    /// Takes a message of the worker.
    fn take(&self, call: u32, word: &str, text: String) {
        if word == "words" {
            let told = self.under_way.borrow().get(&call).and_then(|call| call.on_words.clone());
            if let (Some(tell), Ok(response)) = (told, serde_json::from_str(&text)) {
                tell(response);
            }
            return;
        }
        let outcome = match word {
            "answer" => Ok(text),
            _ => Err(serde_json::from_str(&text).unwrap_or_else(|_| Error::new("internal", text))),
        };
        self.settle(call, outcome);
    }

    fn settle(&self, call: u32, outcome: Result<String, Error>) {
        let Some(call) = self.under_way.borrow_mut().remove(&call) else { return };
        *call.outcome.borrow_mut() = Some(outcome);
        let _ = call.done.call0(&JsValue::UNDEFINED);
    }

    /// Fails all calls under way and all later ones.
    fn fail(&self, error: &Error) {
        *self.broken.borrow_mut() = Some(error.clone());
        let calls: Vec<u32> = self.under_way.borrow().keys().copied().collect();
        for call in calls {
            self.settle(call, Err(error.clone()));
        }
    }
}

/// A call whose caller may give it up.
struct Asked<'a> {
    remote: &'a Remote,
    call: u32,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        if self.remote.calls.under_way.borrow_mut().remove(&self.call).is_some() {
            let _ = self.remote.worker.post_message(&message(self.call, "cancel", ""));
        }
    }
}

impl Remote {
    /// Starts a worker; `None` if it does not start: there are no workers, a policy forbids this
    /// one, or the program was not built for wasm-bindgen's target `web`.
    pub async fn start() -> Option<Self> {
        let program = PROGRAM.with(Clone::clone).as_string()?;
        let (worker, address) = spawn()?;
        let calls = Rc::new(Calls::default());
        let started = Rc::new(RefCell::new(None::<Function>));
        let is_ready = Promise::new(&mut |resolve: Function, _| {
            *started.borrow_mut() = Some(resolve);
        });
        let tell = move |ready: bool| {
            let started = started.borrow();
            started.as_ref().and_then(|tell| tell.call1(&JsValue::UNDEFINED, &ready.into()).ok());
        };
        let tell = Rc::new(tell);
        let (taker, told) = (calls.clone(), tell.clone());
        let on_message =
            Closure::<dyn FnMut(_)>::new(move |event: MessageEvent| match read(&event) {
                Some((NO_CALL, word, _)) => told(word == "ready"),
                Some((call, word, text)) => taker.take(call, &word, text),
                None => {}
            });
        let breaker = calls.clone();
        let on_error = Closure::<dyn FnMut(_)>::new(move |event: ErrorEvent| {
            event.prevent_default();
            tell(false);
            let reason = event.message();
            breaker.fail(&Error::new("internal", format!("The search worker failed: {reason}")));
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        let boot = Array::of2(&JsString::from(program), &wasm_bindgen::module());
        let posted = worker.post_message(&boot);
        let remote = Self { worker, calls, _on_message: on_message, _on_error: on_error };
        posted.ok()?;
        let is_ready = JsFuture::from(is_ready).await;
        // The worker has read its script.
        let _ = Url::revoke_object_url(&address);
        is_ready.is_ok_and(|ready| ready.is_truthy()).then_some(remote)
    }

    /// Opens a bundle in the worker.
    pub async fn open(&self, opening: &Opening) -> Result<Info, Error> {
        self.typed("open", &serde_json::to_string(opening).unwrap_or_default(), None).await
    }

    /// Answers a request.
    pub async fn search(
        &self,
        request: &Request,
        on_words: Option<Rc<dyn Fn(Response)>>,
    ) -> Result<Response, Error> {
        let word = if on_words.is_some() { "search in steps" } else { "search" };
        self.typed(word, &request.to_json(), on_words).await
    }

    /// Loads the deployed build if it is another one.
    pub async fn refresh(&self) -> Result<Info, Error> {
        self.typed("refresh", "", None).await
    }

    async fn typed<T: for<'a> Deserialize<'a>>(
        &self,
        word: &str,
        text: &str,
        on_words: Option<Rc<dyn Fn(Response)>>,
    ) -> Result<T, Error> {
        let answer = self.call(word, text, on_words).await?;
        serde_json::from_str(&answer).map_err(|error| {
            Error::new("internal", format!("The search worker's answer could not be read: {error}"))
        })
    }

    async fn call(
        &self,
        word: &str,
        text: &str,
        on_words: Option<Rc<dyn Fn(Response)>>,
    ) -> Result<String, Error> {
        if let Some(error) = &*self.calls.broken.borrow() {
            return Err(error.clone());
        }
        let call = self.calls.last.get() + 1;
        self.calls.last.set(call);
        let outcome = Rc::new(RefCell::new(None));
        let mut under_way = Some((outcome.clone(), on_words));
        let done = Promise::new(&mut |done: Function, _| {
            if let Some((outcome, on_words)) = under_way.take() {
                let waiting = Call { outcome, done, on_words };
                self.calls.under_way.borrow_mut().insert(call, waiting);
            }
        });
        let _asked = Asked { remote: self, call };
        self.worker.post_message(&message(call, word, text)).map_err(|thrown| {
            Error::new("internal", format!("The worker is gone: {}", browser::reason(&thrown)))
        })?;
        let _ = JsFuture::from(done).await;
        let outcome = outcome.borrow_mut().take();
        outcome.unwrap_or_else(|| Err(Error::new("internal", "The worker gave no answer.")))
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

/// Returns a worker that runs [`BOOT`], and the address of its script.
fn spawn() -> Option<(Worker, String)> {
    let bag = BlobPropertyBag::new();
    bag.set_type("text/javascript");
    let script = Array::of1(&JsString::from(BOOT));
    let blob = Blob::new_with_str_sequence_and_options(&script, &bag).ok()?;
    let address = Url::create_object_url_with_blob(&blob).ok()?;
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let worker = Worker::new_with_options(&address, &options).ok()?;
    Some((worker, address))
}

// ---- in the worker

/// The searches that a page may give up, by the number of the call.
type Searches = Rc<RefCell<HashMap<u32, Rc<Cell<bool>>>>>;

/// Answers the calls of a page. The worker's script calls it; a program does not.
#[wasm_bindgen(js_name = findlingServe)]
pub fn serve() {
    let Some(scope) = browser::worker_scope::<DedicatedWorkerGlobalScope>() else { return };
    let bundle: Rc<RefCell<Option<Rc<Bundle>>>> = Rc::default();
    let searches = Searches::default();
    let on_message = Closure::<dyn FnMut(_)>::new(move |event: MessageEvent| {
        let Some((call, word, text)) = read(&event) else { return };
        if word == "cancel" {
            if let Some(is_given_up) = searches.borrow().get(&call) {
                is_given_up.set(true);
            }
            return;
        }
        let is_given_up = Rc::new(Cell::new(false));
        searches.borrow_mut().insert(call, is_given_up.clone());
        let (bundle, searches) = (bundle.clone(), searches.clone());
        spawn_local(async move {
            let answer = unless(&is_given_up, answer(&bundle, call, &word, &text)).await;
            searches.borrow_mut().remove(&call);
            match answer {
                Some(Ok(text)) => post(call, "answer", &text),
                Some(Err(error)) => {
                    post(call, "error", &serde_json::to_string(&error).unwrap_or_default());
                }
                None => {}
            }
        });
    });
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    // It lives as long as the worker.
    on_message.forget();
    post(NO_CALL, "ready", "");
}

fn post(call: u32, word: &str, text: &str) {
    if let Some(scope) = browser::worker_scope::<DedicatedWorkerGlobalScope>() {
        // It fails only for a page that is gone.
        let _ = scope.post_message(&message(call, word, text));
    }
}

/// Returns the result of a future, which is dropped when it has been given up.
async fn unless<T>(is_given_up: &Cell<bool>, future: impl Future<Output = T>) -> Option<T> {
    let mut future = Box::pin(future);
    poll_fn(|context| {
        if is_given_up.get() {
            return Poll::Ready(None);
        }
        future.as_mut().poll(context).map(Some)
    })
    .await
}

/// Returns the answer to a call, as JSON.
async fn answer(
    place: &RefCell<Option<Rc<Bundle>>>,
    call: u32,
    word: &str,
    text: &str,
) -> Result<String, Error> {
    if word == "open" {
        let Opening { url, streamed, memory, caches } = serde_json::from_str(text)
            .map_err(|error| Error::new("internal", error.to_string()))?;
        let opened = Bundle::open(&url, streamed, memory, caches).await?;
        let info = opened.info();
        *place.borrow_mut() = Some(opened);
        return Ok(serde_json::to_string(&info).unwrap_or_default());
    }
    let bundle = place.borrow().clone();
    let bundle = bundle.ok_or_else(|| Error::new("internal", "The bundle is not open."))?;
    if word == "refresh" {
        bundle.refresh().await?;
        return Ok(serde_json::to_string(&bundle.info()).unwrap_or_default());
    }
    let request = Request::from_json(text)?;
    let tell = move |response: Response| post(call, "words", &response.to_json());
    let in_steps = word == "search in steps";
    let on_words: Option<&dyn Fn(Response)> = if in_steps { Some(&tell) } else { None };
    Ok(bundle.search(&request, on_words).await?.to_json())
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Waker};

    use super::*;

    #[test]
    fn a_search_given_up_ends_when_it_is_next_polled() {
        let is_given_up = Cell::new(false);
        let mut waiting = Box::pin(unless(&is_given_up, std::future::pending::<()>()));
        let mut context = Context::from_waker(Waker::noop());
        assert_eq!(waiting.as_mut().poll(&mut context), Poll::Pending);
        is_given_up.set(true);
        assert_eq!(waiting.as_mut().poll(&mut context), Poll::Ready(None));
    }

    #[test]
    fn an_opening_crosses_as_json() {
        let opening = Opening {
            url: "https://a.org/findling/".into(),
            streamed: true,
            memory: Some(1 << 20),
            caches: false,
        };
        let json = serde_json::to_string(&opening).unwrap();
        assert_eq!(serde_json::from_str::<Opening>(&json).unwrap(), opening);
    }
}
