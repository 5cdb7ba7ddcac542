// A bot on the library grammY, which nobody of this project wrote. It answers
// what it is told until it hears "ende".
const { Bot, InlineKeyboard } = require(process.env.GRAMMY + "/grammy");

const bot = new Bot(process.env.TOKEN, { client: { apiRoot: process.env.API } });

bot.command("start", (ctx) => ctx.reply("<b>Hallo</b> " + (ctx.match || "du"), { parse_mode: "HTML" }));
bot.on("callback_query:data", async (ctx) => {
  await ctx.answerCallbackQuery();
  await ctx.editMessageText("gedrückt: " + ctx.callbackQuery.data);
});
bot.on("edited_message:text", (ctx) => ctx.reply("geändert: " + ctx.editedMessage.text));
bot.hears("knopf", (ctx) => ctx.reply("wähle", { reply_markup: new InlineKeyboard().text("A", "a") }));
bot.hears("kaputt", async (ctx) => {
  try {
    await ctx.reply("<b>offen", { parse_mode: "HTML" });
  } catch (e) {
    await ctx.reply(e.error_code + " " + e.description);
  }
});
bot.hears("tippen", async (ctx) => {
  await ctx.replyWithChatAction("typing");
  await ctx.reply("getippt");
});
bot.hears("ende", async (ctx) => {
  await ctx.reply("bis dann");
  await bot.stop();
});
bot.on("message:text", (ctx) => ctx.reply("in " + (ctx.message.message_thread_id || 0) + ": " + ctx.message.text, {
  message_thread_id: ctx.message.is_topic_message ? ctx.message.message_thread_id : undefined,
  reply_parameters: { message_id: ctx.message.message_id },
}));
bot.catch((e) => { console.error(e); process.exit(1); });

(async () => {
  await bot.api.setMyCommands([{ command: "start", description: "Beginn" }], { language_code: "de" });
  await bot.start();
})();
